// The parts of OpenAPI 3.1 that the document of the service uses.

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly minimum?: number;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface MediaType {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}

type Content = Readonly<Record<string, MediaType>>;

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description?: string; readonly schema?: Schema }>>;
  readonly content?: Content;
}

interface OperationObject {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly description?: string; readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly 'x-rpc'?: string;
}

export interface SecurityScheme {
  readonly type: string;
  readonly scheme?: string;
  readonly in?: string;
  readonly name?: string;
}

export interface OpenApi {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  };
}

export interface Operation extends OperationObject {
  /** In upper case. */
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  /** What the summary does not say. */
  readonly description: string;
}

export interface Tag {
  readonly name: string;
  readonly description: string | undefined;
  readonly operations: readonly Operation[];
}

/** Returns the operations by their tags, in the order of the document. */
export function tagsOf({ tags, paths }: OpenApi): readonly Tag[] {
  const all = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => toOperation(method, path, operation)),
  );
  return tags.map(({ name, description }) => ({
    name,
    description,
    operations: all.filter(({ tags: [first] = [] }) => first === name),
  }));
}

function toOperation(method: string, path: string, operation: OperationObject): Operation {
  const { summary = operation.operationId, description = '' } = operation;
  // Many descriptions begin with the summary, for readers that have it alone.
  const rest = description.startsWith(`${summary}.`) ? description.slice(summary.length + 1).trim() : description;
  return { ...operation, method: method.toUpperCase(), path, summary, description: rest };
}

/** Whether an operation contains all words of a search: in its path, its summary, its tag or its id. */
export function matches({ method, path, summary, operationId, tags = [] }: Operation, search: string): boolean {
  const text = [method, path, summary, operationId, ...tags].join(' ').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** The name of a component: `User` of `#/components/schemas/User`. */
export const nameOf = ($ref: string): string => $ref.slice($ref.lastIndexOf('/') + 1);

/** Follows a reference. */
export function resolve(document: OpenApi, schema: Schema): Schema {
  return schema.$ref === undefined ? schema : (document.components.schemas[nameOf(schema.$ref)] ?? {});
}

/** Returns the type of a schema in words: `User[]`, `string (uuid)`. */
export function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if (schema.items) return `${typeOf(schema.items)}[]`;
  const parts = schema.allOf ?? schema.oneOf ?? schema.anyOf;
  if (parts) return parts.map(typeOf).join(schema.allOf ? ' & ' : ' | ');
  const types = [schema.type ?? (schema.const === undefined ? 'any' : typeof schema.const)].flat().join(' | ');
  return schema.format === undefined ? types : `${types} (${schema.format})`;
}
