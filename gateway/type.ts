// Builds JSON schemas with TypeBox's types. TypeBox itself is not loaded: its 370 modules would take a tenth of the start.
import type { Static, TSchema, Type as TypeBox } from 'typebox';

type Builders = Pick<
  typeof TypeBox,
  'Array' | 'Boolean' | 'Enum' | 'Integer' | 'Literal' | 'Object' | 'Optional' | 'String' | 'Unsafe'
>;
type Schema = Readonly<Record<string, unknown>>;

/** Marks the schema of an optional member. Not enumerable, so that it is not part of the schema. */
const OPTIONAL = Symbol('optional');

function optional(schema: Schema): Schema {
  return Object.defineProperty({ ...schema }, OPTIONAL, { value: true });
}

function object(properties: Readonly<Record<string, Schema>>, options?: Schema): Schema {
  const required = Object.keys(properties).filter((name) => !(OPTIONAL in properties[name]!));
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
}

const builders = {
  Array: (items: Schema, options?: Schema) => ({ type: 'array', items, ...options }),
  Boolean: (options?: Schema) => ({ type: 'boolean', ...options }),
  Enum: (values: readonly string[], options?: Schema) => ({ enum: values, ...options }),
  Integer: (options?: Schema) => ({ type: 'integer', ...options }),
  Literal: (value: unknown, options?: Schema) => ({ type: typeof value, const: value, ...options }),
  Object: object,
  Optional: optional,
  String: (options?: Schema) => ({ type: 'string', ...options }),
  Unsafe: (schema: Schema) => ({ ...schema }),
};

/** The builders that the gateway needs. They return the same schemas as TypeBox's, whose types they have. */
export const Type = builders as unknown as Builders;

/** Schema of a response without a body. The type `null` documents that in OpenAPI. */
export function noBody(description: string, headers?: object) {
  return Type.Unsafe<undefined>({ type: 'null', description, ...(headers && { headers }) });
}

/** Schema of a response member that is omitted if it is undefined. */
export function optionalField<Schema extends TSchema>(schema: Schema) {
  return Type.Optional(Type.Unsafe<Static<Schema> | undefined>(schema));
}
