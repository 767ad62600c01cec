import { ROLES, type Role } from '../../src/auth/access/roles/built-in-roles.ts';
import { ROLE_PATTERN } from '../../src/platform/formats/names.ts';
import { EXIT, CommandFailure } from '../failure.ts';

/** The names of all roles, for the help. */
export const ROLE_NAMES = ROLES.join(', ');
/** The roles of users with a tenant. */
export const TENANT_ROLES = ROLES.filter((role) => role !== 'SUPER_ADMIN');

/** Parses roles, also several in one text with commas. */
export function rolesOf(names: readonly string[]): string[] {
  return names.flatMap((name) => name.split(',')).map((name) => roleOf(name));
}

/**
 * Parses a role: a built-in one, or one of the tenant's own, whose existence the core checks. Malformed names are refused here, so
 * that a command asks for no password and changes no rows before it fails.
 */
export function roleOf(text: string, accepted: readonly Role[] = ROLES): string {
  const name = text.trim().toUpperCase();
  const isBuiltIn = ROLES.some((one) => one === name);
  if (isBuiltIn ? accepted.some((one) => one === name) : ROLE_PATTERN.test(name)) return name;
  const problem = isBuiltIn ? 'not accepted here' : 'not a role';
  throw new CommandFailure(
    `${name}: ${problem}; give one of ${accepted.join(', ')}, or a role of the tenant`,
    EXIT.usage,
  );
}
