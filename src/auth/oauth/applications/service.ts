// The applications that log in users of this service.
import { ApplicationServiceService } from '../../../../proto/gen/authservice/oauth/v1/application_service.ts';
import { implement, type Service } from '../../../platform/rpc/service.ts';
import type { Principal } from '../../access/principal.ts';
import { applicationSecretHandlers } from './application-secrets.ts';
import { applicationHandlers, type ApplicationDependencies } from './applications.ts';

export function applicationService(dependencies: ApplicationDependencies): Service<Principal> {
  return implement(ApplicationServiceService, {
    ...applicationHandlers(dependencies),
    ...applicationSecretHandlers(dependencies),
  });
}
