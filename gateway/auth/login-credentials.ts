import Type from 'typebox';
import { documented } from '../schema/documented.ts';
import { NOT_BLANK } from '../schema/text-patterns.ts';

/** The members of a login's body that both profiles have. The core checks the lengths. */
export const CREDENTIALS = {
  username: Type.String({
    description: 'Login name, trimmed and case-insensitive; 1-254 characters once trimmed.',
    examples: ['alice@acme.test'],
    ...documented({ maxLength: 254, pattern: NOT_BLANK }),
  }),
  password: Type.String({
    description: 'Case-sensitive, never trimmed; 1-1024 characters.',
    examples: ['demo-password-1'],
    ...documented({ minLength: 1, maxLength: 1024 }),
  }),
};
