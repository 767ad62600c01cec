// Envoy's external authorization API (envoy.service.auth.v3) over the same credential checks.
// Decides: nothing of its own: it translates a check of Envoy to that of a credential and a permission.
// States: none
// Tables: none.
// Routes: none (gRPC only).
import { AuthorizationService } from '../../../proto/gen/envoy/service/auth/v3/external_auth.ts';
import { implement, type Service } from '../../platform/rpc/service.ts';
import type { Principal } from '../access/principal.ts';
import { createCheck, type CheckDependencies } from './check.ts';

export function envoyAuthorizationService(dependencies: CheckDependencies): Service<Principal> {
  return implement(
    AuthorizationService,
    { check: createCheck(dependencies) },
    { unavailable: 'AUTHENTICATION_SERVICE_UNAVAILABLE' },
  );
}
