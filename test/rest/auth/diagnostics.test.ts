// Diagnostics of errors that the gateway itself finds, and of expired tokens: complete under maximal disclosure, none under
// minimal.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PASSWORD, seedAccount } from '../../support/accounts.ts';
import { deploy, ON_SQLITE, type Deployment } from '../../support/deployment.ts';
import { leaksOf } from '../../support/leaks.ts';
import { problem } from '../../support/problems.ts';
import { exchangeRaw } from '../../support/raw-http.ts';
import { bearer, restClient, type RestResponse, type RestClient } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';
import { formError, jsonError } from '../m2m/oauth-errors.ts';

const LOGIN = '/api/v1/auth/login';
const TOKEN = '/api/v1/auth/token';
const ACCESS_TOKEN_MS = 900_000;
const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };

type Request = readonly [method: string, path: string, init?: RequestInit];

const post = (path: string, body: string, headers: Record<string, string> = JSON_TYPE): Request => [
  'POST',
  path,
  { body, headers },
];

/** Each with what its exceptionMessage says. */
const FAILURES: readonly (readonly [what: string, request: Request, status: number, code: string, message: RegExp])[] =
  [
    [
      'broken JSON',
      post(LOGIN, `{"password":"${PASSWORD}"`),
      400,
      'validation-error',
      /^Malformed JSON: syntax error$/,
    ],
    ['an unknown path', ['GET', '/api/v1/nowhere'], 404, 'not-found', /^The resource does not exist$/],
    ['a wrong method', ['GET', LOGIN], 405, 'method-not-allowed', /^The resource does not support this method$/],
    [
      'another media type',
      post(LOGIN, 'x', { 'content-type': 'text/plain' }),
      415,
      'unsupported-media-type',
      /^FastifyError \(FST_ERR_CTP_INVALID_MEDIA_TYPE\)$/,
    ],
    [
      'another charset',
      post(LOGIN, '{}', { 'content-type': 'application/json; charset=latin1' }),
      415,
      'unsupported-media-type',
      /^The request body must be application\/json in UTF-8/,
    ],
    [
      'a body too large',
      post(LOGIN, ' '.repeat(70_000)),
      413,
      'payload-too-large',
      /^FastifyError \(FST_ERR_CTP_BODY_TOO_LARGE\)$/,
    ],
    [
      'a bad percent-encoding',
      ['GET', '/api/v1/auth/%zz'],
      400,
      'validation-error',
      /^FastifyError \(FST_ERR_BAD_URL\)$/,
    ],
  ];

const diagnosed = (message: RegExp) => ({
  exceptionType: expect.stringMatching(/^[A-Z]\w+Error$/),
  exceptionMessage: expect.stringMatching(message),
  stackTrace: expect.stringMatching(/^[A-Z]\w+Error\b/),
});

describe.each(ON_SQLITE)('maximal disclosure: $engine over $transport', (kind) => {
  let deployment: Deployment;
  let rest: RestClient;
  let send: (request: Request) => Promise<RestResponse>;
  let token: string;

  beforeAll(async () => {
    deployment = await deploy(kind);
    rest = restClient(deployment.url);
    send = ([method, path, init]) => rest.send(method, path, init);
    const admin = await seedAccount(deployment.database, { roles: ['ADMIN'] });
    token = (await seedSession(deployment, admin)).accessToken;
  });
  afterAll(() => deployment?.close());

  it.each(FAILURES)('%s', async (_what, request, status, code, message) => {
    const response = await send(request);
    expect(response).toEqual(problem(status, code, request[1]));
    expect(response.body).toMatchObject(diagnosed(message));
    expect(leaksOf(response.text)).toEqual([]);
  });

  it('a body that violates the schema of its route', async () => {
    const request = { body: '{"name":7,"roles":{}}', headers: { ...JSON_TYPE, ...bearer(token) } };
    const response = await rest.send('POST', '/api/v1/users', request);
    expect(response).toEqual(problem(400, 'validation-error', '/api/v1/users'));
    expect(response.body).toMatchObject(diagnosed(/^Request validation failed$/));
    expect(response.body.stackTrace).toMatch(/\n {4}at .*\bgateway\/[\w/-]+\.ts:\d+:\d+/);
    expect(response.body.violations.length).toBeGreaterThan(0);
  });

  it('a request that is not HTTP', async () => {
    const [response] = await exchangeRaw(deployment.url, 'GET / HTTP/1.1\r\nHost: a\r\nbad header\r\n\r\n');
    expect(response?.body).toMatchObject({
      exceptionType: 'Error',
      exceptionMessage: 'Error (HPE_INVALID_HEADER_TOKEN)',
    });
  });

  it('a duplicate parameter at the token endpoint', async () => {
    const twice = await send(post(TOKEN, 'grant_type=client_credentials&grant_type=x', FORM_TYPE));
    const description =
      /^A parameter was sent twice \(exceptionType: GatewayError; exceptionMessage: A parameter was sent twice; stackTrace: GatewayError: .*\bat .*gateway\/auth\/m2m\/form-parser\.ts:\d+:\d+.*\)$/;
    expect(twice).toEqual(formError(400, 'invalid_request', expect.stringMatching(description)));
    const member = await send(post(TOKEN, '{"scope":"","scope":""}'));
    expect(member).toEqual(jsonError(400, 'invalid_request', 'Malformed JSON: duplicate key'));
    expect(member.body).toMatchObject(diagnosed(/^Malformed JSON: duplicate key$/));
    const method = await send(['GET', TOKEN]);
    expect(method.body.error_description).toMatch(
      /^The resource does not support this method \(exceptionType: GatewayError; /,
    );
    for (const { text } of [twice, member, method]) expect(leaksOf(text)).toEqual([]);
  });

  it('an expired access token', async () => {
    const { accessToken } = await seedSession(deployment, await seedAccount(deployment.database));
    deployment.clock.advance(ACCESS_TOKEN_MS);
    const response = await rest.me(accessToken);
    expect(response).toEqual(
      problem(401, 'unauthorized', '/api/v1/auth/me', 'Unauthorized - Invalid or expired token'),
    );
    expect(response.body.exceptionType).toBe('JWTExpired');
    expect(response.body.exceptionMessage).toBe(
      'the token failed verification: ERR_JWT_EXPIRED; caused by JWTExpired (ERR_JWT_EXPIRED)',
    );
    expect(response.text).not.toMatch(/\bobject\b/);
    expect(leaksOf(response.text, [accessToken])).toEqual([]);
    deployment.clock.advance(-ACCESS_TOKEN_MS);
  });
});

describe('minimal disclosure', () => {
  let deployment: Deployment;
  beforeAll(async () => {
    const settings = { 'app.api.error-disclosure.mode': 'minimal' };
    deployment = await deploy({ engine: 'sqlite', transport: 'local', settings });
  });
  afterAll(() => deployment?.close());

  it.each(FAILURES)('contains no diagnostics: %s', async (_what, [method, path, init], status, code) => {
    const response = await restClient(deployment.url).send(method, path, init);
    expect(response).toEqual(problem(status, code, path));
    expect(Object.keys(response.body)).toEqual(['type', 'title', 'status', 'detail', 'errorCode', 'instance']);
  });
});

describe('the stack trace of a failure of the gateway', () => {
  it.each([0, 30])('has at most %i characters', async (limit) => {
    const settings = { 'app.api.error-disclosure.max-stack-trace-chars': String(limit) };
    const deployment = await deploy({ engine: 'sqlite', transport: 'local', settings });
    try {
      const { body } = await restClient(deployment.url).send('GET', '/api/v1/nowhere');
      expect(body.exceptionType).toBe('GatewayError');
      expect(body.stackTrace).toHaveLength(limit);
    } finally {
      await deployment.close();
    }
  });
});
