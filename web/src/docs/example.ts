// Examples of bodies, and the command that sends a request.
import { resolve, type MediaType, type OpenApi, type Operation, type Schema } from './document.ts';

const MAX_DEPTH = 5;

/** Returns an example of a body: that of the document, or one with the required members and those that have examples. */
export function exampleOf(document: OpenApi, { example, examples, schema }: MediaType): unknown {
  if (example !== undefined) return example;
  const [first] = Object.values(examples ?? {});
  if (first?.value !== undefined) return first.value;
  return schema === undefined ? undefined : valueOf(document, schema, MAX_DEPTH);
}

function valueOf(document: OpenApi, reference: Schema, depth: number): unknown {
  const schema = resolve(document, reference);
  const given = schema.example ?? schema.examples?.[0] ?? schema.const ?? schema.enum?.[0];
  if (given !== undefined) return given;
  if (depth === 0) return null;
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => valueOf(document, part, depth)));
  const [alternative] = schema.oneOf ?? schema.anyOf ?? [];
  if (alternative) return valueOf(document, alternative, depth);
  const [type = 'object'] = [schema.type ?? 'object'].flat();
  return (EXAMPLES[type] ?? EXAMPLES['object']!)(document, schema, depth);
}

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2027-01-31T12:00:00Z',
  uuid: '019a1b2c-3d4e-7f50-8a1b-2c3d4e5f6071',
  uri: 'https://example.com',
  email: 'ann@example.com',
  binary: '@file',
};

/** By type. */
const EXAMPLES: Readonly<Record<string, (document: OpenApi, schema: Schema, depth: number) => unknown>> = {
  string: (_document, { format = '' }) => FORMATS[format] ?? 'string',
  integer: (_document, { minimum = 1 }) => minimum,
  number: (_document, { minimum = 1 }) => minimum,
  boolean: () => true,
  null: () => null,
  array: (document, { items }, depth) => (items ? [valueOf(document, items, depth - 1)] : []),
  object: (document, { properties = {}, required = [] }, depth) =>
    Object.fromEntries(
      Object.entries(properties)
        .filter(([name, member]) => required.includes(name) || resolve(document, member).examples)
        .map(([name, member]) => [name, valueOf(document, member, depth - 1)]),
    ),
};

/** Returns the text in quotes for a POSIX shell. */
const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const MAX_LINE = 80;
const MULTIPART = 'multipart/form-data';
const FORM = 'application/x-www-form-urlencoded';

/** Returns the command that sends an operation with curl. Placeholders are in angle brackets. */
export function curlOf(document: OpenApi, operation: Operation, origin: string): string {
  const { method, path, parameters = [], requestBody } = operation;
  const query = parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  const search = query.map(({ name, example, schema }) => {
    const value = example ?? schema.examples?.[0];
    return `${name}=${value === undefined ? `<${name}>` : encodeURIComponent(toText(value))}`;
  });
  const url = origin + path.replaceAll(/\{([^}]+)\}/g, '<$1>') + (search.length > 0 ? `?${search.join('&')}` : '');
  const bodies = Object.entries(requestBody?.content ?? {});
  // A form is shorter, and the only body beside client authentication in a header.
  const [type, body] = bodies.find(([one]) => one === FORM) ?? bodies[0] ?? [];
  const parts = [
    `curl -s ${method === 'GET' || (method === 'POST' && body) ? '' : `-X ${method} `}${quote(url)}`,
    ...credentialOf(document, operation),
    ...parameters
      .filter((parameter) => parameter.in === 'header' && parameter.required)
      .map(({ name }) => `-H ${quote(`${name}: <${name}>`)}`),
    ...(type !== undefined && body ? bodyOf(type, exampleOf(document, body)) : []),
  ];
  return parts.join(' \\\n  ');
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

function bodyOf(type: string, example: unknown): string[] {
  const members = Object.entries(typeof example === 'object' && example !== null ? example : {});
  const fields = members.map(([name, value]) => quote(`${name}=${toText(value)}`));
  if (type === MULTIPART) return fields.map((field) => `-F ${field}`);
  if (type === FORM) return fields.map((field) => `-d ${field}`);
  const header = `-H ${quote(`Content-Type: ${type}`)}`;
  return /json/.test(type) ? [header, `-d ${quote(toJson(example))}`] : [header, "--data-binary '@file'"];
}

/** On one line if it is short. */
function toJson(value: unknown): string {
  const line = JSON.stringify(value);
  return line.length <= MAX_LINE ? line : JSON.stringify(value, undefined, 2).replaceAll('\n', '\n  ');
}

/** A credential, also if the operation can do without one. */
function credentialOf({ components }: OpenApi, { security = [] }: Operation): string[] {
  const [scheme] = security.flatMap((one) => Object.keys(one));
  return [scheme ?? []].flat().flatMap((name) => {
    const { type, scheme: http, in: place, name: field } = components.securitySchemes[name] ?? { type: '' };
    if (type === 'http')
      return [http === 'basic' ? "-u '<clientId>:<clientSecret>'" : "-H 'Authorization: Bearer <accessToken>'"];
    return place === 'cookie' ? [`-b ${quote(`${field}=<refreshToken>`)}`] : [`-H ${quote(`${field}: <apiKey>`)}`];
  });
}
