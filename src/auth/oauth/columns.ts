// Columns that several tables of applications have.
import { optionalTenant, type Column } from '../../platform/db/columns.ts';
import { readMethods, type AuthenticationMethod } from '../access/authentication.ts';
import { readScopes, type Scope } from './scopes.ts';

/** Bytes: a hash, or a selector. */
export const bytes = (name: string): Column<Buffer> => ({
  name,
  fromSql: (stored: Uint8Array) => Buffer.from(stored),
});

/** A tenant beside that of the row; '' for none. */
export const otherTenant = (name: string): Column<string | undefined> => ({
  ...optionalTenant(name),
  isWrittenFromScope: false,
  toSql: (tenant) => Buffer.from(tenant ?? ''),
});

/** A text that a row can lack, in a column without NULL. */
export const textOrEmpty = (name: string): Column<string | undefined> => ({
  name,
  fromSql: (stored: string) => stored || undefined,
  toSql: (value) => value ?? '',
});

/** Scopes, separated by spaces. */
export const scopes = (name: string): Column<readonly Scope[]> => ({
  name,
  fromSql: (stored: string) => readScopes(stored),
  toSql: (values) => values.join(' '),
});

/** The methods by which a user was authenticated, separated by spaces. */
export const methods = (name: string): Column<readonly AuthenticationMethod[]> => ({
  name,
  fromSql: (stored: string) => readMethods(stored.split(' ')),
  toSql: (values) => values.join(' '),
});
