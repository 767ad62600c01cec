// The routes of a gateway, from its OpenAPI document.
import { differences, type OperationResponse, type By, type Operation } from './operation.ts';
import type { Http, HttpRequest } from './http.ts';
import type { RestCases, RestRequest } from './probe-case.ts';

/** The parts of an OpenAPI document that the check reads. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

export interface OpenApiOperation {
  /** The RPC that serves it. */
  readonly 'x-rpc'?: string;
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly required?: boolean }[];
  /** By status. */
  readonly responses?: Readonly<Record<string, unknown>>;
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaType>> };
}

interface MediaType {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface Schema {
  readonly $ref?: string;
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

/** Excludes `requestId`, a text to search for. */
const NAMES_A_RECORD = /^(?:id|uuid)$|^(?!requestId$).*Id$/;
const API = '/api/v1';
const SCHEMAS = '#/components/schemas/';

/** Returns the prefix of the API's paths, such as `/api/v1`. Throws if the document contains no login route. */
export function apiRootOf({ paths }: OpenApi): string {
  const login = Object.keys(paths).find((path) => path.endsWith(`${API}/auth/login`));
  if (login === undefined) throw new Error(`the OpenAPI document does not contain ${API}/auth/login`);
  return login.slice(0, -'/auth/login'.length);
}

/** Whether a module outside this project serves an operation. */
export function isOfModule({ 'x-rpc': rpc = '' }: OpenApiOperation): boolean {
  return rpc !== '' && !/^(?:authservice|grpc)\./.test(rpc);
}

/** Returns all routes of an OpenAPI document with their cases. */
export function routesOf(
  document: OpenApi,
  cases: RestCases,
  http: Readonly<Record<By, Http>>,
): Operation<RestRequest>[] {
  return Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]): Operation<RestRequest> => {
      const name = nameOf(method, template);
      const safe = method === 'get';
      return {
        surface: 'REST',
        name,
        safe,
        ids: idsOf(operation, document),
        probeCase: cases[name],
        differences: (one, other) => differences(inDescription(one), inDescription(other)),
        send: (request, by) => exchange(http[by], httpRequest(method.toUpperCase(), template, request)),
        variants: (request) => variantsOf(request, safe, isOfModule(operation)),
      };
    }),
  );
}

/** Returns the name of a case: method and path, without the prefix up to `/api/v1`. */
export function nameOf(method: string, template: string): string {
  return `${method.toUpperCase()} ${template.replace(/^.*\/api\/v1(?=\/)/, '')}`;
}

/** Responses to HEAD have no body with an error code, so 404 gets the code that GET has. */
async function exchange(http: Http, request: HttpRequest): Promise<OperationResponse> {
  const response = await http(request);
  const named = request.method === 'HEAD' && response.outcome === '404';
  return named ? { ...response, outcome: '404 not-found' } : response;
}

/** Returns the parts of a request by their names in the OpenAPI document. */
function inDescription({ path, query, body, form }: RestRequest): unknown {
  return { path, query, body: body ?? form };
}

/**
 * Returns variants with conditions and an invalid body. The service must check the record before it checks these. A module may
 * check the body first, because its response is then the same for a missing record.
 */
function variantsOf(request: RestRequest, safe: boolean, isModule: boolean): RestRequest[] {
  const condition = safe ? { 'if-none-match': '*' } : { 'if-match': '"1"' };
  return [
    request,
    ...(safe ? [{ ...request, head: true }] : []),
    { ...request, headers: { ...request.headers, ...condition } },
    ...(request.body === undefined || isModule ? [] : [{ ...request, body: { unknownToEverybody: 1 } }]),
  ];
}

function httpRequest(method: string, template: string, request: RestRequest): HttpRequest {
  const { path = {}, query = {}, headers, body, content } = request;
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
  const search = new URLSearchParams(query).toString();
  return {
    method: request.head === true ? 'HEAD' : method,
    path: search === '' ? filled : `${filled}?${search}`,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(content !== undefined && { body: content }),
    ...(request.form !== undefined && { body: transportOf(request.form) }),
  };
}

function transportOf(fields: NonNullable<RestRequest['form']>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new Blob([value], { type: 'image/png' }), 'isolation.png');
  }
  return form;
}

/** Returns the paths of the record ids in a request. Excludes `id` in a body, which is read-only. */
function idsOf({ parameters = [], requestBody }: OpenApiOperation, document: OpenApi): string[] {
  const named = parameters
    .filter(({ name }) => NAMES_A_RECORD.test(name))
    .map(({ in: place, name }) => `${place}.${name}`);
  const bodies = Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => membersOf(schema, 'body', document));
  return [...new Set([...named, ...bodies.filter((path) => path !== 'body.id')])];
}

function membersOf(schema: Schema | undefined, path: string, document: OpenApi): string[] {
  if (schema === undefined) return [];
  if (schema.$ref !== undefined) return membersOf(componentOf(schema.$ref, document), path, document);
  const parts = [schema.items, ...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => [
    // Ignored members have no type. `clientId` is a credential, not the id of a record.
    ...(NAMES_A_RECORD.test(name) && name !== 'clientId' && member.type !== undefined ? [`${path}.${name}`] : []),
    ...membersOf(member, `${path}.${name}`, document),
  ]);
  return [...members, ...parts.flatMap((part) => membersOf(part, path, document))];
}

function componentOf(reference: string, { components }: OpenApi): Schema {
  const schema = components?.schemas?.[reference.slice(SCHEMAS.length)];
  if (!reference.startsWith(SCHEMAS) || schema === undefined)
    throw new Error(`the OpenAPI document does not contain ${reference}`);
  return schema;
}
