import { IdentityServiceService } from '../../proto/gen/identity/v1/identity_service.ts';
import { implement, type Service } from '../rpc/service.ts';
import { getMe } from './get-me.ts';

export function identityService(): Service {
  return implement(IdentityServiceService, { getMe });
}
