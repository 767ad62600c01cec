// The administration of roles. The folder above has what accounts need of them.
import { RoleServiceService } from '../../../proto/gen/authservice/tenancy/v1/role_service.ts';
import { implement, type Service } from '../../platform/rpc/service.ts';
import type { Principal } from '../access/principal.ts';
import { roleHandlers, type RoleDependencies } from './roles.ts';

export function roleService(dependencies: RoleDependencies): Service<Principal> {
  return implement(RoleServiceService, roleHandlers(dependencies));
}
