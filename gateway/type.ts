// Builds JSON schemas with TypeBox.
import { Type, type Static, type TSchema } from 'typebox';

export { Type };

/** Schema of a response without a body. The type `null` documents that in OpenAPI. */
export function noBody(description: string, headers?: object) {
  return Type.Unsafe<undefined>({ type: 'null', description, ...(headers && { headers }) });
}

/** Schema of a response member that is omitted if it is undefined. */
export function optionalField<Schema extends TSchema>(schema: Schema) {
  return Type.Optional(Type.Unsafe<Static<Schema> | undefined>(schema));
}
