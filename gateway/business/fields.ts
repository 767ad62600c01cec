// What the schemas of business records are made of.
import Type from 'typebox';
import type { Static, TSchema } from 'typebox';

/** A time that an answer shows. */
export const Time = (description: string) => Type.String({ format: 'date-time', description });

/** Member of an answer that is left out where it is undefined. */
export function leftOut<Schema extends TSchema>(schema: Schema) {
  return Type.Optional(Type.Unsafe<Static<Schema> | undefined>(schema));
}
