// The OpenAPI document compared with the service: every route, and every real status.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/auth/access/account.ts';
import { PASSWORD, seedAccount } from '../../support/accounts.ts';
import { deploy, type Deployment } from '../../support/deployment.ts';
import { addGateway } from '../../support/gateways.ts';
import { leaksOf } from '../../support/leaks.ts';
import { mailFolder } from '../../support/mails.ts';
import { rawRequest, sendRaw } from '../../support/raw-http.ts';
import { OPERATIONS } from '../../support/operations.ts';
import { withoutReferences } from '../../support/openapi-document.ts';
import { restClient, type RestClient } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';

const LOGIN = '/api/v1/auth/login';
const REFRESH = '/api/v1/auth/refresh';
const LOGOUT = '/api/v1/auth/logout';
const ME = '/api/v1/auth/me';
const SECOND_FACTOR = '/api/v1/auth/second-factor';
const CONFIRM = '/api/v1/account/confirm';
const PROBLEM = '#/components/schemas/Problem';
const LOGIN_POINTS = 40;

const TOKEN = '/api/v1/auth/token';
const INTROSPECT = '/api/v1/auth/introspect';
const REVOKE = '/api/v1/auth/revoke';
const KEYS = '/api/v1/service-accounts/{id}/api-keys';

const NAMES = Object.keys(OPERATIONS);
/** The endpoints of OAuth have errors of other forms too (RFC 6749 section 5.2). */
const SPEAKS_OAUTH = [TOKEN, INTROSPECT, REVOKE].map((path) => `POST ${path}`);
/** The endpoints of the OpenID provider have formats of their own: see test/rest/oauth. */
const OF_PROVIDER = /\/auth\/oauth2\/(?:authorize|device|end-session|par|token|userinfo)$/;
const SPEAKS_PROBLEMS = NAMES.filter((name) => !SPEAKS_OAUTH.includes(name) && !OF_PROVIDER.test(name));

/** Those of the pages for users and of the console, with and without a slash at the end. */
const PAGE_ROUTES = 20;

interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly links?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<
    Record<
      string,
      { readonly schema: { readonly $ref?: string; readonly properties?: object; readonly required?: string[] } }
    >
  >;
}
interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: string[];
  readonly security?: Readonly<Record<string, string[]>>[];
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, { readonly schema: { readonly required: string[] } }>>;
  };
  readonly responses: Readonly<Record<string, Response>>;
}

let deployment: Deployment;
let rest: RestClient;
let account: Account;
let document: any; // Whatever came: the tests look at it piece by piece.
let whole: any; // The same without references.

beforeAll(async () => {
  const settings = {
    ...mailFolder().settings,
    'app.security.login.rate-limit.store': 'memory',
    'app.security.login.rate-limit.points': String(LOGIN_POINTS),
  };
  deployment = await deploy({ engine: 'sqlite', transport: 'local', settings });
  rest = restClient(deployment.url);
  account = await seedAccount(deployment.database);
  document = (await rest.send('GET', '/openapi.json')).body;
  whole = withoutReferences(document);
});
afterAll(() => deployment?.close());

const operationIn = (described: any, name: string): Operation => {
  const [method = '', path = ''] = name.split(' ');
  return described.paths[path]?.[method.toLowerCase()];
};
const operationOf = (name: string) => operationIn(document, name);

describe('GET /openapi.json', () => {
  it('returns an OpenAPI 3.1 document without a credential', async () => {
    const response = await rest.send('GET', '/openapi.json', { headers: { authorization: 'Bearer garbage' } });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(response.body.openapi).toBe('3.1.0');
    expect(response.body.info).toMatchObject({
      title: 'my-shop',
      version: expect.any(String),
      description: expect.any(String),
    });
    expect(leaksOf(response.text)).toEqual([]);
  });

  it('lists exactly the existing routes', () => {
    const listed = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(listed.toSorted()).toEqual(NAMES.toSorted());
    for (const name of listed) {
      const [method = '', path = ''] = name.split(' ');
      const url = path.replaceAll(/\{(\w+)\}/g, ':$1');
      expect(deployment.app.hasRoute({ method, url })).toBe(true);
    }
    // Every line of the router's own listing that ends in methods is one of their paths, the description itself, one of the four
    // of the page that shows it, with and without a slash at the end, that of the files of pages, or one
    // of the pages.
    const registered =
      deployment.app.printRoutes({ commonPrefix: false }).match(/\((?:GET|POST|PUT|PATCH|DELETE)[^)]*\)/g) ?? [];
    expect(registered).toHaveLength(Object.keys(document.paths).length + 1 + 4 + 1 + PAGE_ROUTES);
  });

  it('names each operation after its RPC, without duplicates', () => {
    const names = NAMES.map((name) => operationOf(name).operationId);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(['login', 'getMe', 'listAuditRecords', 'updateUser']));
  });

  it('links operations that create a record to operations with its id', () => {
    const linksOf = (name: string) => operationOf(name).responses['201']?.links;
    expect(linksOf(`POST ${KEYS}`)).toEqual({
      revokeApiKey: {
        operationId: 'revokeApiKey',
        parameters: { id: '$request.path.id', keyId: '$response.body#/keyId' },
      },
    });
    const ofUser = { parameters: { userId: '$response.body#/id' } };
    expect(linksOf('POST /api/v1/users')).toMatchObject({ getUser: ofUser, setUserRoles: ofUser });
    expect(Object.keys(linksOf('POST /api/v1/users')!)).not.toContain('getTenant');
    expect(linksOf('POST /api/v1/service-accounts')).toMatchObject({
      getServiceAccount: { parameters: { id: '$response.body#/serviceAccount/id' } },
    });
    expect(linksOf('POST /api/v1/service-accounts/{id}/secrets')).toMatchObject({
      expireClientSecret: { parameters: { id: '$request.path.id', secretId: '$response.body#/secret/id' } },
    });
  });

  it('has no inline object, so that generated clients have one class for each message', () => {
    const inline = [...JSON.stringify(document.paths).matchAll(/"properties":\{"(\w+)"/g)].map(([, member]) => member);
    expect(inline).toEqual([]);
  });

  it('has no dangling reference', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference!);
    expect(references).toContain(PROBLEM);
    for (const reference of references) {
      const target = reference
        .split('/')
        .slice(1)
        .reduce((value, key) => value?.[key], document);
      expect([reference, target]).toEqual([reference, expect.any(Object)]);
    }
  });

  it.each(NAMES)('%s: has a summary, a description and a success response', (name) => {
    const operation = operationOf(name);
    expect(operation.summary).toEqual(expect.any(String));
    expect(operation.description).toMatch(/^[A-Z].+\.$/);
    expect(operation.tags).toHaveLength(1);
    expect(document.tags.map((tag: { name: string }) => tag.name)).toContain(operation.tags![0]);
    expect(Object.keys(operation.responses).toSorted()).toEqual(OPERATIONS[name]);
  });

  it.each(SPEAKS_PROBLEMS)('%s: has a problem document for every failure', (name) => {
    const operation = operationOf(name);
    for (const [status, { content, description }] of Object.entries(operation.responses)) {
      if (Number(status) < 400) continue;
      expect(description).toMatch(/^[a-z]+(-[a-z]+)*(, [a-z]+(-[a-z]+)*)*$/);
      expect(content).toEqual({ 'application/problem+json': { schema: { $ref: PROBLEM } } });
    }
  });

  it.each([
    ['412', 'if-match'],
    ['304', 'if-none-match'],
  ])('documents the header that causes a %s, if there is one', (status, header) => {
    const conditional = NAMES.filter((name) => status in operationOf(name).responses);
    expect(conditional.length).toBeGreaterThan(1);
    const taking = NAMES.filter((name) =>
      operationOf(name).parameters?.some((parameter) => parameter.in === 'header' && parameter.name === header),
    );
    expect(taking).toEqual(conditional);
  });

  it('documents the credentials of each operation', () => {
    const { securitySchemes } = document.components;
    expect(securitySchemes.bearer).toEqual({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' });
    expect(securitySchemes.refreshCookie).toEqual({ type: 'apiKey', in: 'cookie', name: 'MY_SHOP_REFRESH' });
    expect(operationOf(`POST ${LOGIN}`).security).toEqual([]);
    expect(operationOf(`POST ${REFRESH}`).security).toEqual([{ refreshCookie: [] }]);
    expect(operationOf(`GET ${ME}`).security).toEqual([{ bearer: [] }, { apiKey: [] }]);
    expect(operationOf('POST /api/v1/service-accounts/{id}/api-keys').security).toEqual([{ bearer: [] }]);
    expect(operationOf(`POST ${LOGOUT}`).security).toEqual([{}, { bearer: [] }, { refreshCookie: [] }]);
  });

  it('documents the required members of login, without rememberMe', () => {
    const { requestBody } = operationIn(whole, `POST ${LOGIN}`);
    expect(requestBody?.required).toBe(true);
    expect(Object.keys(requestBody!.content)).toEqual(['application/json']);
    expect(requestBody!.content['application/json']!.schema.required).toEqual(['username', 'password']);
  });
});

describe('the document contains each real response', () => {
  const json = { 'content-type': 'application/json' };
  const text = { 'content-type': 'text/plain' };
  const large = ' '.repeat(70_000);
  const credentials = () => JSON.stringify({ username: account.username, password: PASSWORD });

  type Row = [operation: string, status: number, init: () => RequestInit | Promise<RequestInit>];
  it.each<Row>([
    [`POST ${LOGIN}`, 200, () => ({ headers: json, body: credentials() })],
    [`POST ${LOGIN}`, 400, () => ({ headers: json, body: '{' })],
    [`POST ${LOGIN}`, 401, () => ({ headers: json, body: '{"username":"nobody","password":"x"}' })],
    [`POST ${LOGIN}`, 413, () => ({ headers: json, body: large })],
    [`POST ${LOGIN}`, 415, () => ({ headers: text, body: 'x' })],
    [`POST ${REFRESH}`, 200, async () => ({ headers: { cookie: (await seedSession(deployment, account)).cookie } })],
    [`POST ${REFRESH}`, 400, () => ({ headers: json, body: '{' })],
    [`POST ${REFRESH}`, 401, () => ({})],
    [`POST ${REFRESH}`, 413, () => ({ headers: json, body: large })],
    [`POST ${REFRESH}`, 415, () => ({ headers: text, body: 'x' })],
    [
      `GET ${ME}`,
      200,
      async () => ({ headers: { authorization: `Bearer ${(await seedSession(deployment, account)).accessToken}` } }),
    ],
    [`GET ${ME}`, 401, () => ({})],
    [`POST ${LOGOUT}`, 200, () => ({})],
    [`POST ${LOGOUT}`, 400, () => ({ headers: json, body: '{' })],
    [`POST ${LOGOUT}`, 401, () => ({ headers: { authorization: 'Bearer x' } })],
    [`POST ${LOGOUT}`, 413, () => ({ headers: json, body: large })],
    [`POST ${LOGOUT}`, 415, () => ({ headers: text, body: 'x' })],
    ['GET /.well-known/jwks.json', 200, () => ({})],
    ['GET /health/live', 200, () => ({})],
    ['GET /health/ready', 200, () => ({})],
  ])('%s: %i', async (name, status, init) => {
    const [method = '', path = ''] = name.split(' ');
    const response = await rest.send(method, path, await init());
    expect(response.status).toBe(status);
    const { content, description, headers = {} } = operationIn(whole, name).responses[status]!;
    for (const header of ['WWW-Authenticate', 'Retry-After', 'Set-Cookie'])
      expect([header, header in headers]).toEqual([header, response.headers.has(header)]);
    if (content === undefined) return expect(response.text).toBe('');
    const type = response.headers.get('content-type')!.split(';')[0]!;
    const { properties = {}, required = [] } = content[type]!.schema;
    const members = Object.keys(response.body);
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(members));
    expect(members).toEqual(expect.arrayContaining(required));
    if (status >= 400) expect(description.split(', ')).toContain(response.body.errorCode);
  });

  it(`POST ${LOGIN}: 423`, async () => {
    for (let attempt = 0; attempt < 5; attempt += 1)
      await rest.login({ username: account.username, password: 'wrong' });
    const response = await rest.login({ username: account.username, password: PASSWORD });
    expect([response.status, operationOf(`POST ${LOGIN}`).responses[423]?.description]).toEqual([
      423,
      response.body.errorCode,
    ]);
  });

  it(`POST ${LOGIN}: 429`, async () => {
    const answers = [];
    for (let attempt = 0; attempt <= LOGIN_POINTS; attempt += 1)
      answers.push(await rest.login({ username: 'nobody', password: 'x' }));
    const last = answers.at(-1)!;
    expect([last.status, operationOf(`POST ${LOGIN}`).responses[429]?.description]).toEqual([429, last.body.errorCode]);
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(operationOf(`POST ${LOGIN}`).responses[429]?.headers).toHaveProperty('Retry-After');
  });

  it('names Retry-After of the lock of codes, in both profiles', async () => {
    const gatewayB = await addGateway(deployment, { 'app.security.auth-profile': 'B' });
    try {
      const ofB = (await restClient(gatewayB.url).send('GET', '/openapi.json')).body;
      for (const described of [document, ofB])
        for (const name of [`POST ${SECOND_FACTOR}`, `POST ${CONFIRM}`])
          expect(operationIn(described, name).responses[423]?.headers, name).toHaveProperty('Retry-After');
    } finally {
      await gatewayB.close();
    }
  });

  it.each(SPEAKS_PROBLEMS)('%s: 431', async (name) => {
    const response = await sendRaw(deployment.url, rawRequest(`${name} HTTP/1.1`, [`X-Large: ${'x'.repeat(20_000)}`]));
    expect([response.status, operationOf(name).responses[431]?.description]).toEqual([431, response.body.errorCode]);
  });
});
