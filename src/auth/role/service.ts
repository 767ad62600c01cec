// The administration of roles. `access/roles` has their meaning and their table.
// Decides: who may define, change and delete a role.
// States: none: a role exists or not, and one that an account holds stays.
// Tables: none.
// Routes: /roles, /roles/:name.
import { RoleServiceService } from '../../../proto/gen/authservice/tenancy/v1/role_service.ts';
import { implement, type Service } from '../../platform/rpc/service.ts';
import type { Principal } from '../access/principal.ts';
import { roleHandlers, type RoleDependencies } from './roles.ts';

export function roleService(dependencies: RoleDependencies): Service<Principal> {
  return implement(RoleServiceService, roleHandlers(dependencies));
}
