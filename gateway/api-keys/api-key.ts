// What the endpoints of API keys have in common.
import Type from 'typebox';
import type { FailureName } from '../../src/problem/catalogue.ts';

/** Any text: one that cannot be an id names no account. */
export const AccountParams = Type.Object({ id: Type.String({ description: 'Id of the service account.' }) });
export type AccountParams = Type.Static<typeof AccountParams>;

export const KeyParams = Type.Object({
  ...AccountParams.properties,
  keyId: Type.String({ description: 'Id of the key.' }),
});
export type KeyParams = Type.Static<typeof KeyParams>;

/** How each of them can fail. */
export const FAILURES: readonly FailureName[] = [
  'TOKEN_MISSING',
  'TOKEN_INVALID',
  'SUBJECT_UNKNOWN',
  'PERMISSION_DENIED',
  'NOT_FOUND',
  'VALIDATION_ERROR',
  'PRINCIPAL_NOT_ELIGIBLE',
  'AUTHENTICATION_SERVICE_UNAVAILABLE',
];
