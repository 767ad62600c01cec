// Moves object schemas to components, so that generated clients have one class per message.
import { isDeepStrictEqual } from 'node:util';
import { OPTIONAL_BODY } from '../schema/documented.ts';

/** The JSON Schema keywords that this file reads. */
interface Schema {
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly additionalProperties?: boolean | Schema;
  readonly [keyword: string]: unknown;
}
interface MediaType {
  readonly schema?: Schema;
}
interface Body {
  readonly description?: string;
  readonly required?: boolean;
  readonly content?: Readonly<Record<string, MediaType>>;
}
interface Operation {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body>>;
}
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Returns a copy of an object with other values. */
export function mapValues<Value, Changed>(
  object: Readonly<Record<string, Value>>,
  change: (value: Value) => Changed,
): Record<string, Changed> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}

/** Returns a copy of a document with other operations. */
export function mapOperations(document: Document, change: (operation: Operation, path: string) => Operation): Document {
  const paths = Object.entries(document.paths).map(([path, operations]) => [
    path,
    mapValues(operations, (operation) => change(operation, path)),
  ]);
  return { ...document, paths: Object.fromEntries(paths) };
}

const PREFIX = '#/components/schemas/';

/**
 * Replaces object schemas by references to components. The component's name is the `title`, or for a request body the operation:
 * `CreateCustomerRequest`. Throws if two different schemas have the same name, or if an object has no name.
 */
export function referToComponents(document: Document): Document {
  const schemas: Record<string, Schema> = {};

  const register = (name: string, schema: Schema): Schema => {
    const { title: _title, ...component } = schema;
    if (Object.hasOwn(schemas, name) && !isDeepStrictEqual(schemas[name], component))
      throw new Error(`Two different schemas of the OpenAPI document have the name ${name}`);
    schemas[name] = component;
    return { $ref: PREFIX + name };
  };

  const refer = (schema: Schema, name = schema.title): Schema => {
    const { properties, items, allOf, oneOf, additionalProperties } = schema;
    const whole = {
      ...schema,
      ...(properties && {
        properties: mapValues(properties, (value) => refer(value)),
      }),
      ...(items && { items: refer(items) }),
      ...(allOf && { allOf: allOf.map((part) => refer(part)) }),
      ...(oneOf && { oneOf: oneOf.map((part) => refer(part)) }),
      ...(typeof additionalProperties === 'object' && { additionalProperties: refer(additionalProperties) }),
    };
    if (schema.title !== undefined && 'enum' in schema) return register(schema.title, whole);
    // An object without named properties is a map, which needs no component.
    if (Object.keys(properties ?? {}).length === 0 && (allOf === undefined || name === undefined)) return whole;
    if (name === undefined)
      throw new Error(`An object of the OpenAPI document has no title: ${Object.keys(properties ?? {}).join()}`);
    return register(name, whole);
  };

  const referFrom = (body: Body, name?: string): Body => {
    if (body.content === undefined) return body;
    const content = mapValues(body.content, (media) => {
      if (media.schema === undefined) return media;
      // In responses, the schema's description describes the response, not the component.
      const { description: _description, ...schema } = media.schema;
      const kept = name === undefined ? schema : media.schema;
      return { ...media, schema: refer(kept, media.schema.title ?? name) };
    });
    return { ...body, content };
  };

  for (const [name, schema] of Object.entries(document.components.schemas)) {
    const referred = refer(schema, name);
    if (!('$ref' in referred)) register(name, referred);
  }
  const referring = mapOperations(document, (operation) => {
    const { operationId, requestBody, responses } = operation;
    const requestName = `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Request`;
    return {
      ...operation,
      ...(requestBody && { requestBody: referFrom(requestBody, requestName) }),
      responses: mapValues(responses, (body) => referFrom(body)),
    };
  });
  return { ...referring, components: { ...document.components, schemas } };
}

/** Adds `type` to enums of texts, because generated clients need it. The schemas of TypeBox and of request bodies omit it. */
export function withEnumTypes<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(withEnumTypes) as Value;
  if (typeof value !== 'object' || value === null) return value;
  const members = mapValues(value as Readonly<Record<string, unknown>>, (member) => withEnumTypes(member));
  const { enum: names } = members as { readonly enum?: unknown };
  if (!Array.isArray(names) || 'type' in members) return members as Value;
  const texts = names.filter((name) => name !== null);
  if (texts.length === 0 || !texts.every((name) => typeof name === 'string')) return members as Value;
  return { type: texts.length < names.length ? ['string', 'null'] : 'string', ...members } as Value;
}

/** Returns a copy of a document with optional bodies for marked operations, without the marks. */
export function withOptionalBodies(document: Document): Document {
  return mapOperations(document, (operation) => {
    const { [OPTIONAL_BODY]: isOptional, ...others } = operation as Operation & { [OPTIONAL_BODY]?: true };
    const body = others.requestBody;
    return isOptional && body ? { ...others, requestBody: { ...body, required: false } } : others;
  });
}
