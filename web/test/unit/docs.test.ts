// What /docs makes of an OpenAPI document.
import { describe, expect, it } from 'vitest';
import { matches, tagsOf, typeOf, type OpenApi, type Operation, type Schema } from '../../src/docs/document.ts';
import { curlOf, exampleOf } from '../../src/docs/example.ts';

const DOCUMENT: OpenApi = {
  info: { title: 'shop', version: 'v1' },
  tags: [{ name: 'Users' }, { name: 'Health' }],
  paths: {
    '/health': { get: { operationId: 'health', tags: ['Health'], responses: {} } },
    '/users/{id}': {
      get: {
        operationId: 'getUser',
        tags: ['Users'],
        summary: 'Get a user',
        description: 'Get a user. With roles.',
        responses: {},
      },
    },
  },
  components: {
    schemas: {
      User: {
        type: 'object',
        required: ['name', 'manager'],
        properties: {
          name: { type: 'string', examples: ["O'Neil"] },
          manager: { $ref: '#/components/schemas/User' },
          note: { type: 'string' },
        },
      },
    },
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer' },
      basic: { type: 'http', scheme: 'basic' },
      key: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
      cookie: { type: 'apiKey', in: 'cookie', name: 'SHOP_REFRESH' },
    },
  },
};

const operation = (changes: Partial<Operation>): Operation => ({
  operationId: 'x',
  method: 'POST',
  path: '/x',
  summary: 'X',
  description: '',
  responses: {},
  ...changes,
});
const curl = (changes: Partial<Operation>): string => curlOf(DOCUMENT, operation(changes), 'https://a.test');

it('lists operations by tag, without repeating the summary', () => {
  const tags = tagsOf(DOCUMENT);
  expect(tags.map(({ name, operations }) => [name, ...operations.map(({ summary }) => summary)])).toEqual([
    ['Users', 'Get a user'],
    ['Health', 'health'],
  ]);
  expect(tags[0]!.operations[0]).toMatchObject({ method: 'GET', path: '/users/{id}', description: 'With roles.' });
});

it.each([
  ['user get', true],
  ['GET /users/', true],
  ['getuser', true],
  ['users post', false],
])('the search "%s" finds GET /users/{id}: %s', (search, isFound) => {
  expect(matches(tagsOf(DOCUMENT)[0]!.operations[0]!, search)).toBe(isFound);
});

it.each<[Schema, string]>([
  [{ $ref: '#/components/schemas/User' }, 'User'],
  [{ type: 'array', items: { type: 'string', format: 'uuid' } }, 'string (uuid)[]'],
  [{ type: ['string', 'null'] }, 'string | null'],
  [{ allOf: [{ $ref: '#/components/schemas/User' }, { type: 'object' }] }, 'User & object'],
])('the type of %j is %s', (schema, type) => {
  expect(typeOf(schema)).toBe(type);
});

describe('an example', () => {
  it('is that of the document', () => {
    expect(exampleOf(DOCUMENT, { example: { a: 1 }, schema: { type: 'string' } })).toEqual({ a: 1 });
  });

  it('has the required members, and ends where a schema contains itself', () => {
    const example = exampleOf(DOCUMENT, { schema: { $ref: '#/components/schemas/User' } });
    expect(example).toMatchObject({ name: "O'Neil", manager: { name: "O'Neil" } });
    expect(JSON.stringify(example)).not.toContain('note');
  });
});

describe('the command', () => {
  it.each<[string, Partial<Operation>, string]>([
    ['a GET', { method: 'GET' }, "curl -s 'https://a.test/x'"],
    ['a POST without a body', {}, "curl -s -X POST 'https://a.test/x'"],
    ['a path parameter', { method: 'GET', path: '/users/{id}' }, "curl -s 'https://a.test/users/<id>'"],
    ['a bearer token', { method: 'GET', security: [{ bearer: [] }] }, "-H 'Authorization: Bearer <accessToken>'"],
    ['a client', { security: [{ basic: [] }] }, "-u '<clientId>:<clientSecret>'"],
    ['an API key', { security: [{ key: [] }] }, "-H 'X-Api-Key: <apiKey>'"],
    ['a cookie', { security: [{ cookie: [] }] }, "-b 'SHOP_REFRESH=<refreshToken>'"],
    [
      'JSON with a quote',
      { requestBody: { content: { 'application/json': { example: { name: "O'Neil" } } } } },
      String.raw`-d '{"name":"O'\''Neil"}'`,
    ],
    [
      'a form',
      { requestBody: { content: { 'application/x-www-form-urlencoded': { example: { a: 'b c' } } } } },
      "-d 'a=b c'",
    ],
    [
      'a required query parameter',
      { method: 'GET', parameters: [{ name: 'q', in: 'query', required: true, schema: {} }] },
      "'https://a.test/x?q=<q>'",
    ],
  ])('of %s', (_case, changes, text) => {
    expect(curl(changes)).toContain(text);
  });

  it('has a form beside client authentication in a header', () => {
    const content = { 'application/json': { example: {} }, 'application/x-www-form-urlencoded': { example: { a: 1 } } };
    const command = curl({ security: [{}, { basic: [] }], requestBody: { content } });
    expect(command).toBe("curl -s 'https://a.test/x' \\\n  -u '<clientId>:<clientSecret>' \\\n  -d 'a=1'");
  });
});
