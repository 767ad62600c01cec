// Building blocks of the schemas of business records.
import { Type } from '../type.ts';
import type { Static, TSchema } from 'typebox';

/** Schema of a time in a response. */
export const Time = (description: string) => Type.String({ format: 'date-time', description });

/** Schema of a response member that is omitted if it is undefined. */
export function optionalField<Schema extends TSchema>(schema: Schema) {
  return Type.Optional(Type.Unsafe<Static<Schema> | undefined>(schema));
}
