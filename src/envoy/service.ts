// External authorization for Envoy: envoy.service.auth.v3.Authorization. Envoy asks about each request that it is about to pass on.
import { AuthorizationService } from '../../proto/gen/envoy/service/auth/v3/external_auth.ts';
import { implement, type Service } from '../rpc/service.ts';
import { createCheck, type CheckDependencies } from './check.ts';

export function envoyAuthorizationService(dependencies: CheckDependencies): Service {
  return implement(
    AuthorizationService,
    { check: createCheck(dependencies) },
    { unavailable: 'AUTHENTICATION_SERVICE_UNAVAILABLE' },
  );
}
