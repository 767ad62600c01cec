// The routes of modules outside this project. They have no examples in cli/isolation/examples: their requests are derived from the
// examples of the OpenAPI document.
import { hidden, notApplicable, own, type ProbeCase, type RestCases, type RestRequest } from './probe-case.ts';
import type { Records } from './records.ts';
import { isOfModule, nameOf, type OpenApi, type OpenApiOperation } from './routes.ts';

/** The path of a collection of a module, below `/api/v1`: `/invoices`. */
export type CollectionPath = `/${string}`;

/** A collection whose records the check can create. */
export interface Collection {
  readonly kind: CollectionPath;
  /** Its whole path. */
  readonly path: string;
  /** The body that creates a record. */
  readonly example: unknown;
  readonly canDelete: boolean;
}

/** Whether modules outside this project serve any operation. */
export function hasModules({ paths }: OpenApi): boolean {
  return Object.values(paths).some((methods) => Object.values(methods).some(isOfModule));
}

/** Returns the collections of modules that have a POST route with the status 201. */
export function collectionsOf(document: OpenApi): Collection[] {
  return Object.entries(document.paths).flatMap(([path, { post }]) => {
    if (post === undefined || !isOfModule(post) || path.includes('{') || post.responses?.['201'] === undefined)
      return [];
    const deletes = Object.entries(document.paths).some(
      ([other, methods]) => other.startsWith(`${path}/{`) && other.endsWith('}') && methods['delete'] !== undefined,
    );
    const example = exampleOf(post);
    return [{ kind: kindOf(path), path, example, canDelete: deletes }];
  });
}

/** Returns the cases of the routes of modules. A route of records that the check cannot create has none. */
export function moduleCases(document: OpenApi): RestCases {
  const collections = collectionsOf(document);
  const cases = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      if (!isOfModule(operation)) return [];
      const derived = caseOf({ path, method, operation }, collections);
      return derived === undefined ? [] : [[nameOf(method, path), derived] as const];
    }),
  );
  return Object.fromEntries(cases);
}

interface Route {
  readonly path: string;
  readonly method: string;
  readonly operation: OpenApiOperation;
}

function caseOf(
  { path, method, operation }: Route,
  collections: readonly Collection[],
): ProbeCase<RestRequest> | undefined {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  if (names.length === 0) {
    if (method !== 'get') return notApplicable('its path contains no id of a record');
    return isCallable(operation) ? { probes: [own(() => wholeList(operation))] } : undefined;
  }
  const collection = collections.find((one) => path.startsWith(`${one.path}/{`));
  if (collection === undefined || !isCallable(operation)) return undefined;
  const body = exampleOf(operation);
  // Ids of records within the record are made up; the check reports them as not covered.
  const request = (records: Records): RestRequest => ({
    path: Object.fromEntries(names.map((name, index) => [name, index === 0 ? records[collection.kind]! : 'missing'])),
    ...(body !== undefined && { body }),
  });
  return { probes: [hidden(request)] };
}

/** Whether a request without query parameters is valid. */
function isCallable({ parameters = [] }: OpenApiOperation): boolean {
  return !parameters.some(({ in: place, required }) => place === 'query' && required === true);
}

function wholeList({ parameters = [] }: OpenApiOperation): RestRequest {
  return parameters.some(({ name }) => name === 'perPage') ? { query: { perPage: '100' } } : {};
}

function kindOf(path: string): CollectionPath {
  return path.replace(/^.*\/api\/v1(?=\/)/, '') as CollectionPath;
}

/** Returns the example of a JSON body; undefined if the operation has none. */
function exampleOf({ requestBody }: OpenApiOperation): unknown {
  const { example, examples = {} } = requestBody?.content['application/json'] ?? {};
  return example ?? Object.values(examples)[0]?.value;
}
