import type { Application as ApplicationMessage } from '../../../../proto/gen/authservice/oauth/v1/application_service.ts';
import type { Complete } from '../../../platform/db/record.ts';
import { APPLICATION, type Application } from './application.ts';

/** Converts an application to its proto message. */
export function applicationMessage(application: Application): ApplicationMessage {
  const message = { ...APPLICATION.toMessage(application), shared: application.tenantId === undefined };
  return message satisfies Complete<ApplicationMessage>;
}
