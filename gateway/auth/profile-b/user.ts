import { optionalField, Type } from '../../type.ts';
import type { Account } from '../../../proto/gen/authservice/identity/v1/identity_service.ts';

/** Schemas of the user members that login and me share. */
export const USER = {
  id: Type.String({ description: 'User id.' }),
  email: Type.String({ description: 'E-mail address. If the account has none, its username.' }),
  name: Type.String({ description: 'Display name.' }),
  role: Type.String({ description: 'Primary role: the first of roles.', examples: ['ROLE_MANAGER'] }),
  roles: Type.Array(Type.String({ examples: ['ROLE_MANAGER'] }), {
    description: 'Flattened roles including inherited ones, the primary one first.',
  }),
  tenantId: optionalField(Type.String({ description: 'Tenant id; absent for SUPER_ADMIN.' })),
};

/** Returns the user object of an account. Throws TypeError if the core sent an account without roles. */
export function userOf({ id, email, username, name, roles, tenantId }: Account) {
  const [role] = roles;
  if (role === undefined) throw new TypeError('The core sent an account without roles');
  return { id, email: email ?? username, name, role, roles, tenantId };
}
