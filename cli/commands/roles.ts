import { ROLES, type Role } from '../../src/auth/roles/built-in-roles.ts';
import { EXIT, CommandFailure } from '../failure.ts';

/** The names of all roles, for the help. */
export const ROLE_NAMES = ROLES.join(', ');
/** The roles of users with a tenant. */
export const TENANT_ROLES = ROLES.filter((role) => role !== 'SUPER_ADMIN');

/** Parses roles, also several in one text with commas. */
export function rolesOf(names: readonly string[]): Role[] {
  return names.flatMap((name) => name.split(',')).map((name) => roleOf(name));
}

/** Parses a role. Checked here so that a command asks for no password and changes no rows before it fails. */
export function roleOf(text: string, accepted: readonly Role[] = ROLES): Role {
  const name = text.trim().toUpperCase();
  const role = accepted.find((one) => one === name);
  if (role !== undefined) return role;
  const problem = ROLES.some((one) => one === name) ? 'not accepted here' : 'not a role';
  throw new CommandFailure(`${name}: ${problem}; give one of ${accepted.join(', ')}`, EXIT.usage);
}
