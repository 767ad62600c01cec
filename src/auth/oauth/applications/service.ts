// The applications that log in users of this service, and their secrets.
// Decides: who may register and change an application, and which redirect URIs, keys and names it may have.
// States: an application is enabled or disabled. A secret is valid until it is set to expire.
// Tables: applications.
// Routes: /applications, /applications/:id, /applications/:id/{secrets, secrets/:secretId/expire}.
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
