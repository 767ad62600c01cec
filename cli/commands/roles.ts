import { ROLES } from '../../src/principal/account.ts';

/** The names of all roles, for the help. */
export const ROLE_NAMES = ROLES.join(', ');

/** Roles by name, also several in one text with commas. */
export function rolesOf(names: readonly string[]): string[] {
  return names.flatMap((name) => name.split(',')).map((name) => name.trim().toUpperCase());
}
