import Type from 'typebox';
import type { Account } from '../../../proto/gen/identity/v1/identity_service.ts';
import { OptionalString } from '../optional-string.ts';

/** The members of the user object that login and me have in common. */
export const USER = {
  id: Type.String({ description: 'User id.' }),
  email: OptionalString('E-mail address, where one is known.'),
  name: Type.String({ description: 'Display name.' }),
  role: Type.String({ description: 'Primary role: the first of roles.', examples: ['ROLE_MANAGER'] }),
  roles: Type.Array(Type.String({ examples: ['ROLE_MANAGER'] }), {
    description: 'Flattened roles including inherited ones, the primary one first.',
  }),
  tenantId: OptionalString('Tenant id; absent for SUPER_ADMIN.'),
};

/** The account as this profile shows it. */
export function userOf({ id, email, name, roles, tenantId }: Account) {
  const [role] = roles;
  if (role === undefined) throw new TypeError('The core sent an account without roles');
  return { id, email, name, role, roles, tenantId };
}
