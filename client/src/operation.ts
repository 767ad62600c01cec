// One function for each operation of the OpenAPI document; generated/operations.ts lists them.
import { readError } from './api-error.ts';
import type { Caller, CallInit } from './caller.ts';
import type { operations } from './generated/types.ts';

/** A successful response. */
export interface Reply<Data> {
  readonly data: Data;
  readonly status: number;
  /** Headers such as ETag, Location and the paging headers. */
  readonly headers: Headers;
}

type Content<Holder> = Holder extends { content: infer Media } ? Media[keyof Media] : undefined;
type Success<Responses> = {
  [Status in keyof Responses]: Status extends 200 | 201 | 206 ? Content<Responses[Status]> : never;
};
type Binary = 'bytes';
type Events = 'events';

/** The response body of an operation. Files are Blobs, event streams are read by `readEvents`. */
type Data<Operation, Kind> = Operation extends { responses: infer Responses }
  ? Kind extends Binary
    ? Blob
    : Kind extends Events
      ? ReadableStream<Uint8Array>
      : [Success<Responses>[keyof Responses]] extends [never]
        ? undefined
        : Success<Responses>[keyof Responses]
  : never;

type Filled<Value> = [Exclude<Value, undefined>] extends [never] ? false : true;
type Place<Name extends string, Holder extends Places, Key extends keyof Places> =
  Filled<Holder[Key]> extends false
    ? unknown
    : undefined extends Holder[Key]
      ? { readonly [Member in Name]?: Exclude<Holder[Key], undefined> }
      : { readonly [Member in Name]: Holder[Key] };

type Body<Operation, Kind> = Operation extends { requestBody: { content: infer Media } }
  ? {
      readonly body: Kind extends 'upload'
        ? Blob | ArrayBuffer | ArrayBufferView
        : Kind extends 'form'
          ? FormBody<Media[keyof Media]>
          : Media[keyof Media];
    }
  : Operation extends { requestBody?: { content: infer Media } }
    ? Exclude<Media, undefined> extends never
      ? unknown
      : { readonly body?: Media[keyof Media] }
    : unknown;

/** The fields of a form. Files are Blobs. */
type FormBody<Fields> = { readonly [Name in keyof Fields]: Name extends 'file' ? Blob : Fields[Name] };

interface Places {
  readonly query?: unknown;
  readonly header?: unknown;
  readonly path?: unknown;
}

type Parameters<Operation, Kind> = Operation extends { parameters: infer Given extends Places }
  ? Place<'query', Given, 'query'> &
      Place<'headers', Given, 'header'> &
      Place<'path', Given, 'path'> &
      Body<Operation, Kind>
  : never;

/** Calls an operation. Rejects with an ApiError for an error response. */
export type Operation<Id extends keyof operations, Kind = undefined> = (
  caller: Caller,
  ...rest: object extends Parameters<operations[Id], Kind>
    ? [parameters?: Parameters<operations[Id], Kind>, init?: CallInit]
    : [parameters: Parameters<operations[Id], Kind>, init?: CallInit]
) => Promise<Reply<Data<operations[Id], Kind>>>;

interface AnyParameters {
  readonly path?: Readonly<Record<string, string | number>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Formats of bodies other than JSON. */
export type Kind = Binary | Events | 'upload' | 'form';

/** Creates the function of an operation. */
export function operation<Id extends keyof operations, K extends Kind | undefined = undefined>(
  method: string,
  template: string,
  kind?: K,
): Operation<Id, K> {
  const call = async (caller: Caller, parameters: AnyParameters = {}, init: CallInit = {}): Promise<Reply<unknown>> => {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(parameters.headers ?? {})) headers.set(name, value);
    const { body, type } = encodeBody(parameters.body, kind);
    if (type !== undefined && !headers.has('content-type')) headers.set('content-type', type);
    const response = await caller.fetch(fillPath(template, parameters), { ...init, method, headers, body });
    if (!response.ok) throw await readError(response);
    return { data: await readBody(response, kind), status: response.status, headers: response.headers };
  };
  return call as Operation<Id, K>;
}

/** URL parsers resolve these path segments, also percent-encoded, so another operation would be called. */
const NO_SEGMENTS = new Set(['', '.', '..']);

function pathSegment(name: string, value: string | number | undefined): string {
  const text = String(value ?? '');
  if (NO_SEGMENTS.has(text)) throw new TypeError(`Path parameter ${name} must not be ${JSON.stringify(text)}`);
  return encodeURIComponent(text);
}

function fillPath(template: string, { path = {}, query = {} }: AnyParameters): string {
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => pathSegment(name, path[name]));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const item of Array.isArray(value) ? value : [value])
      if (item !== undefined) search.append(name, String(item));
  return search.size ? `${filled}?${search}` : filled;
}

function encodeBody(body: unknown, kind: Kind | undefined): { body: BodyInit | null; type?: string } {
  if (body === undefined) return { body: null };
  if (kind === 'upload')
    return { body: body as BodyInit, ...(body instanceof Blob ? {} : { type: 'application/octet-stream' }) };
  if (kind !== 'form') return { body: JSON.stringify(body), type: 'application/json' };
  const form = new FormData();
  for (const [name, value] of Object.entries(body as object))
    if (value !== undefined) form.append(name, value instanceof Blob ? value : String(value));
  return { body: form };
}

async function readBody(response: Response, kind: Kind | undefined): Promise<unknown> {
  if (kind === 'bytes') return response.blob();
  if (kind === 'events') return response.body;
  const text = await response.text();
  return text === '' ? undefined : JSON.parse(text);
}
