// What the schemas of business records are made of.
import Type from 'typebox';
import type { Static, TSchema } from 'typebox';

/** A text that a caller gives: not all blank, at most `maximum` characters. */
export const Text = (maximum: number, description: string) =>
  Type.String({
    minLength: 1,
    maxLength: maximum,
    pattern: '\\S',
    description: `${description} 1-${maximum.toLocaleString('en')} characters, not all of them blank.`,
  });

/** A time that an answer shows. */
export const Time = (description: string) => Type.String({ format: 'date-time', description });

/** Member of an answer that is left out where it is undefined. */
export function leftOut<Schema extends TSchema>(schema: Schema) {
  return Type.Optional(Type.Unsafe<Static<Schema> | undefined>(schema));
}

/** Members of a request's body that are not the caller's to set there: whatever they hold is ignored. */
export function ignored<Name extends string>(...names: readonly Name[]) {
  const member = Type.Optional(Type.Unknown({ description: 'Ignored.' }));
  return Object.fromEntries(names.map((name) => [name, member])) as Record<Name, typeof member>;
}

/** Members of the body of every creation and change of a record. */
export const RECORD_MEMBERS = {
  ...ignored('id', 'createdAt', 'updatedAt'),
  tenantId: Type.Optional(Type.String({ description: "May name the caller's tenant, and no other." })),
};
