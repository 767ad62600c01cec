// The routes of a gateway, as its own description lists them.
import { differences, type Answer } from './answer.ts';
import type { Http, HttpRequest } from './http.ts';
import type { By, Operation } from './operation.ts';
import type { RestLines, RestRequest } from './rest-request.ts';

/** As much of an OpenAPI document as is looked at. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

interface OpenApiOperation {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
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

const NAMES_A_RECORD = /^(?:id|uuid)$|Id$/;
const API = '/api/v1';
const SCHEMAS = '#/components/schemas/';

/** What the API's paths begin with in this deployment. Throws where it has none. */
export function apiRootOf({ paths }: OpenApi): string {
  const login = Object.keys(paths).find((path) => path.endsWith(`${API}/auth/login`));
  if (login === undefined) throw new Error(`the description lists no ${API}/auth/login`);
  return login.slice(0, -'/auth/login'.length);
}

/** Every route of a description with its line. */
export function routesOf(
  document: OpenApi,
  lines: RestLines,
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
        line: lines[name],
        differences: (one, other) => differences(inDescription(one), inDescription(other)),
        send: (request, by) => exchange(http[by], httpRequest(method.toUpperCase(), template, request)),
        variants: (request) => variantsOf(request, safe),
      };
    }),
  );
}

/** The lines that no route of a description has. */
export function linesWithoutRoute({ paths }: OpenApi, lines: RestLines): string[] {
  const names = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => nameOf(method, path)),
  );
  return Object.keys(lines).filter((name) => !names.includes(name));
}

/** As lines are named: without what the deployment puts before `/api/v1`, and without that. */
function nameOf(method: string, template: string): string {
  return `${method.toUpperCase()} ${template.replace(/^.*\/api\/v1(?=\/)/, '')}`;
}

/** An answer to HEAD has no body that could name the code of its status. */
async function exchange(http: Http, request: HttpRequest): Promise<Answer> {
  const answer = await http(request);
  const named = request.method === 'HEAD' && answer.outcome === '404';
  return named ? { ...answer, outcome: '404 not-found' } : answer;
}

/** A request by the names that its description gives to its parts. */
function inDescription({ path, query, body, form }: RestRequest): unknown {
  return { path, query, body: body ?? form };
}

/** Whether the body is any good, or the version the wanted one, is asked only of a record that is there. */
function variantsOf(request: RestRequest, safe: boolean): RestRequest[] {
  const condition = safe ? { 'if-none-match': '*' } : { 'if-match': '"1"' };
  return [
    request,
    ...(safe ? [{ ...request, head: true }] : []),
    { ...request, headers: { ...request.headers, ...condition } },
    ...(request.body === undefined ? [] : [{ ...request, body: { unknownToEverybody: 1 } }]),
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

/** Where a request can name a record. `id` in a body is the record's own, which is not for the caller to give. */
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
    // What is accepted and ignored has no type. A client id authenticates; it names no record.
    ...(NAMES_A_RECORD.test(name) && name !== 'clientId' && member.type !== undefined ? [`${path}.${name}`] : []),
    ...membersOf(member, `${path}.${name}`, document),
  ]);
  return [...members, ...parts.flatMap((part) => membersOf(part, path, document))];
}

function componentOf(reference: string, { components }: OpenApi): Schema {
  const schema = components?.schemas?.[reference.slice(SCHEMAS.length)];
  if (!reference.startsWith(SCHEMAS) || schema === undefined) throw new Error(`the description lacks ${reference}`);
  return schema;
}
