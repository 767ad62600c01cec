// The applications that log in users of this service (OAuth 2.1 section 2), and their secrets.
// Decides: what a tenant's administrators may have, and which redirect URIs and keys can be registered.
// States: an application is enabled or disabled. What it is (WEB, SPA, NATIVE), its client id and its tenant never change.
// Tables: applications.
// Routes: /applications, /applications/:id, /applications/:id/{deliveries, preview}, /applications/:id/deliveries/:deliveryId/retry,
// /applications/:id/secrets, /applications/:id/secrets/:secretId/expire.
import { ApplicationServiceService } from '../../../../proto/gen/authservice/oauth/v1/application_service.ts';
import { implement, type Service } from '../../../platform/rpc/service.ts';
import type { Principal } from '../../access/principal.ts';
import { applicationSecretHandlers } from './application-secrets.ts';
import { createPreviewApplication, type PreviewApplicationDependencies } from '../claims/preview-application.ts';
import { applicationDeliveryHandlers } from '../logout/application-deliveries.ts';
import { createFindApplication } from './change-application.ts';
import { applicationHandlers, type ApplicationDependencies } from './applications.ts';

export function applicationService(
  dependencies: ApplicationDependencies & Omit<PreviewApplicationDependencies, 'findApplication'>,
): Service<Principal> {
  return implement(ApplicationServiceService, {
    ...applicationHandlers(dependencies),
    ...applicationSecretHandlers(dependencies),
    ...applicationDeliveryHandlers({ ...dependencies, findApplication: createFindApplication(dependencies) }),
    previewApplication: createPreviewApplication({
      ...dependencies,
      findApplication: createFindApplication(dependencies),
    }),
  });
}
