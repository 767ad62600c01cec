// Invalid token requests in each format: the documented code in the documented format, and never a 5xx.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import { deploy, ON_SQLITE, type Deployment } from '../../support/deployment.ts';
import { exchangeRaw, rawRequest, sendRaw } from '../../support/raw-http.ts';
import { basic, FORM, seedClient, TOKEN, tokenClient, type MachineClient, type TokenClient } from './clients.ts';
import { formError, isNotStored, jsonError } from './oauth-errors.ts';

const GRANT = 'grant_type=client_credentials';

describe.each(ON_SQLITE)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let tokens: TokenClient;
  let client: MachineClient;

  beforeAll(async () => {
    deployment = await deploy(kind);
    tokens = tokenClient(deployment.url);
    client = await seedClient(deployment.database);
  });
  afterEach(async () => {
    expect((await tokens.byForm(client)).status).toBe(200);
  });
  afterAll(() => deployment?.close());

  const good = () => `${GRANT}&client_id=${client.id}&client_secret=${client.secret}`;

  describe('a form request', () => {
    it.each<[what: string, body: () => string, error: string, status?: number]>([
      ['nothing', () => '', 'invalid_request'],
      ['no grant_type', () => `client_id=${client.id}&client_secret=${client.secret}`, 'invalid_request'],
      ['an empty grant_type', () => good().replace('=client_credentials', '='), 'invalid_request'],
      ['another grant_type', () => good().replace('client_credentials', 'password'), 'unsupported_grant_type'],
      [
        'a grant_type in capitals',
        () => good().replace('client_credentials', 'CLIENT_CREDENTIALS'),
        'unsupported_grant_type',
      ],
      ['another grant_type and a scope', () => 'grant_type=password&scope=a', 'unsupported_grant_type'],
      ['a scope', () => `${good()}&scope=read`, 'invalid_scope'],
      ['a scope of one blank', () => `${good()}&scope=+`, 'invalid_scope'],
      ['a scope of an encoded blank', () => `${good()}&scope=%20`, 'invalid_scope'],
      ['a scope and no credentials', () => `${GRANT}&scope=a`, 'invalid_scope'],
      ['no credentials', () => GRANT, 'invalid_request'],
      ['no client_id', () => `${GRANT}&client_secret=${client.secret}`, 'invalid_request'],
      ['no client_secret', () => `${GRANT}&client_id=${client.id}`, 'invalid_request'],
      ['an empty client_secret', () => `${GRANT}&client_id=${client.id}&client_secret=`, 'invalid_request'],
      ['a client_secret without a value', () => `${GRANT}&client_id=${client.id}&client_secret`, 'invalid_request'],
      ['grant_type twice', () => `${good()}&${GRANT}`, 'invalid_request'],
      ['client_id twice', () => `${good()}&client_id=${client.id}`, 'invalid_request'],
      ['client_secret twice, once by another name for it', () => `${good()}&client%5Fsecret=x`, 'invalid_request'],
      ['scope twice, both empty', () => `${good()}&scope=&scope=`, 'invalid_request'],
      ['an unknown parameter twice', () => `${good()}&a=1&a=2`, 'invalid_request'],
      ['an invalid escape', () => `${good()}&a=%zz`, 'invalid_request'],
      ['an escape that ends early', () => `${good()}&a=%4`, 'invalid_request'],
      ['a lone percent sign in a name', () => `${good()}&%=1`, 'invalid_request'],
      ['escapes that are not UTF-8', () => `${good()}&a=%ff%fe`, 'invalid_request'],
      ['an escaped surrogate', () => `${good()}&a=%ED%A0%80`, 'invalid_request'],
      ['bytes that are not UTF-8', () => `${good()}&a=\xff`, 'invalid_request'],
      ['a byte order mark', () => `\xef\xbb\xbf${good()}`, 'invalid_request'],
      ['JSON', () => '{"grant_type":"client_credentials"}', 'invalid_request'],
      ['20,000 parameters', () => Array.from({ length: 9_000 }, (_, i) => `p${i}=`).join('&'), 'invalid_request'],
      [
        'a client_id of 60,000 characters',
        () => `${GRANT}&client_id=${'a'.repeat(60_000)}&client_secret=x`,
        'invalid_client',
        401,
      ],
      ['a client_id of 100,000 characters', () => `${GRANT}&client_id=${'a'.repeat(100_000)}`, 'invalid_request', 413],
    ])('%s', async (_what, body, error, status = 400) => {
      const response = await tokens.post(Buffer.from(body(), 'latin1'));
      expect(response).toEqual(formError(status, error));
      expect(response.text).not.toContain(client.secret);
    });

    it.each<[what: string, contentType: string | undefined, encoding?: string]>([
      ['no content type', undefined],
      ['text/plain', 'text/plain'],
      ['multipart/form-data', 'multipart/form-data; boundary=x'],
      ['JSON by another name', 'application/problem+json'],
      ['an invalid content type', 'nonsense'],
      ['a content type of blanks', ' '],
      ['another charset', `${FORM}; charset=utf-16`],
      ['a compressed body', FORM, 'gzip'],
    ])('%s', async (_what, contentType, encoding) => {
      const lines = [
        ...(contentType === undefined ? [] : [`Content-Type: ${contentType}`]),
        ...(encoding === undefined ? [] : [`Content-Encoding: ${encoding}`]),
      ];
      const response = await sendRaw(deployment.url, rawRequest(`POST ${TOKEN} HTTP/1.1`, lines, good()));
      expect(response).toEqual(formError(400, 'invalid_request'));
    });

    it.each([FORM.toUpperCase(), `${FORM};charset=UTF-8`, `${FORM} ; charset="utf-8"`])(
      'issues a token for %s',
      async (type) => {
        const response = await tokens.post(good(), { 'content-type': type });
        expect(response.status).toBe(200);
      },
    );

    it('returns an error for an empty request, without WWW-Authenticate', async () => {
      const response = await sendRaw(deployment.url, rawRequest(`POST ${TOKEN} HTTP/1.1`));
      expect(response).toEqual(formError(400, 'invalid_request'));
    });

    it('ignores parameters in the query', async () => {
      const there = tokenClient(deployment.url, `${TOKEN}?${good()}`);
      expect(await there.post('')).toEqual(formError(400, 'invalid_request'));
    });

    it('accepts chunks, and raw UTF-8', async () => {
      const body = `${good()}&note=é`;
      const chunk = `${Buffer.byteLength(body).toString(16)}\r\n${Buffer.from(body).toString('latin1')}\r\n0\r\n\r\n`;
      const lines = [`Content-Type: ${FORM}`, 'Transfer-Encoding: chunked'];
      const response = await sendRaw(deployment.url, rawRequest(`POST ${TOKEN} HTTP/1.1`, lines, chunk));
      expect(response.status).toBe(200);
    });
  });

  describe('Basic', () => {
    const encoded = (text: string) => `Basic ${Buffer.from(text, 'latin1').toString('base64')}`;
    const send = (authorization: string, body = GRANT) => tokens.post(body, { authorization });

    it.each<[what: string, authorization: () => string, body?: () => string]>([
      ['without credentials', () => 'Basic'],
      ['with blanks only', () => 'Basic   '],
      ['without a colon', () => encoded(client.id)],
      ['that is no base64', () => 'Basic !!!!'],
      ['with base64 that breaks off', () => 'Basic YTpi=='],
      ['with base64url', () => `Basic ${Buffer.from('a:\xfb\xff\xfe', 'latin1').toString('base64url')}`],
      ['with more after it', () => `${basic(client)} x`],
      ['with parameters', () => 'Basic realm="x"'],
      ['that is not UTF-8', () => encoded('a:\xff')],
      ['with an invalid escape', () => encoded(`${client.id}:%zz`)],
      ['with escapes that are not UTF-8', () => encoded(`${client.id}:%ff`)],
      ['without a client id', () => encoded(`:${client.secret}`)],
      ['without a secret', () => encoded(`${client.id}:`)],
      ['and a form secret', () => basic(client), () => `${GRANT}&client_secret=${client.secret}`],
      ['and an empty form secret', () => basic(client), () => `${GRANT}&client_secret=`],
      ['and all of it in the form', () => basic(client), good],
      ['and another client_id', () => basic(client), () => `${GRANT}&client_id=other`],
      ['and no form', () => basic(client), () => ''],
    ])('%s', async (_what, authorization, body) => {
      const response = await send(authorization(), body?.());
      expect(response).toEqual(formError(400, 'invalid_request'));
      expect(response.headers.get('www-authenticate')).toBeNull();
      expect(response.text).not.toContain(client.secret);
    });

    it.each([
      ['twice', (header: string) => [header, header]],
      ['beside a Bearer', (header: string) => ['Bearer x', header]],
    ])('%s', async (_what, headers) => {
      const lines = [`Content-Type: ${FORM}`, ...headers(basic(client)).map((value) => `Authorization: ${value}`)];
      const response = await sendRaw(deployment.url, rawRequest(`POST ${TOKEN} HTTP/1.1`, lines, GRANT));
      expect(response).toEqual(formError(400, 'invalid_request'));
    });

    it('beside a JSON body', async () => {
      const response = await tokens.byJson(client, { authorization: basic(client) });
      expect(response).toEqual(jsonError(400, 'invalid_request'));
      expect(response.headers.get('www-authenticate')).toBeNull();
    });

    it('returns the same error for another scheme as for a request without credentials', async () => {
      expect(await send('Bearer x')).toEqual(formError(400, 'invalid_request'));
      expect(await send('Basicx x')).toEqual(formError(400, 'invalid_request'));
    });
  });

  describe('a JSON request', () => {
    const members = (more: object = {}) => ({
      grant_type: 'client_credentials',
      client_id: client.id,
      client_secret: client.secret,
      ...more,
    });

    it.each<[what: string, body: () => unknown, code: string, status?: number]>([
      ['nothing', () => '', 'invalid_request'],
      ['invalid JSON', () => '{"grant_type"', 'invalid_request'],
      ['an array', () => '[]', 'invalid_request'],
      ['an array of requests', () => [members()], 'invalid_request'],
      ['null', () => 'null', 'invalid_request'],
      ['a string', () => '"client_credentials"', 'invalid_request'],
      ['an empty object', () => ({}), 'invalid_request'],
      ['a form', () => good(), 'invalid_request'],
      ['no grant_type', () => members({ grant_type: undefined }), 'invalid_request'],
      ['a grant_type of null', () => members({ grant_type: null }), 'invalid_request'],
      ['a grant_type in an array', () => members({ grant_type: ['client_credentials'] }), 'invalid_request'],
      ['another grant_type', () => members({ grant_type: 'password' }), 'unsupported_grant_type'],
      ['a scope', () => members({ scope: 'read' }), 'invalid_scope'],
      ['a scope of one blank', () => members({ scope: ' ' }), 'invalid_scope'],
      ['scopes in an array', () => members({ scope: [] }), 'invalid_request'],
      ['a client_id that is a number', () => members({ client_id: 0 }), 'invalid_request'],
      ['a client_secret that is an object', () => members({ client_secret: {} }), 'invalid_request'],
      ['a client_secret that is a boolean', () => members({ client_secret: true }), 'invalid_request'],
      ['no client_secret', () => members({ client_secret: undefined }), 'invalid_request'],
      ['an empty client_id', () => members({ client_id: '' }), 'invalid_request'],
      [
        'grant_type twice',
        () => `{"grant_type":"client_credentials",${JSON.stringify(members()).slice(1)}`,
        'invalid_request',
      ],
      ['a prototype', () => `{"__proto__":{},${JSON.stringify(members()).slice(1)}`, 'invalid_request'],
      ['a lone surrogate', () => `{"client_id":"\\ud800",${JSON.stringify(members()).slice(1)}`, 'invalid_request'],
      ['a client_id of 60,000 characters', () => members({ client_id: 'a'.repeat(60_000) }), 'invalid_client', 401],
      ['a client_id of 100,000 characters', () => members({ client_id: 'a'.repeat(100_000) }), 'invalid_request', 413],
    ])('%s', async (_what, body, code, status = 400) => {
      const sent = body();
      const response = await tokens.post(typeof sent === 'string' ? sent : JSON.stringify(sent), {
        'content-type': 'application/json',
      });
      expect(response).toEqual(jsonError(status, code));
      expect(response.text).not.toContain(client.secret);
    });

    it('returns an error for another charset', async () => {
      const response = await tokens.byJson(client, { 'content-type': 'application/json; charset=utf-16' });
      expect(response).toEqual(jsonError(400, 'invalid_request'));
    });

    it('ignores unknown members, and an empty scope', async () => {
      const response = await tokens.post(JSON.stringify(members({ scope: '', audience: ['x'], nested: { a: 1 } })), {
        'content-type': 'Application/JSON; charset=UTF-8',
      });
      expect(response.status).toBe(200);
    });
  });

  describe('HTTP', () => {
    it.each(['GET', 'PUT', 'PATCH', 'DELETE'])('%s', async (method) => {
      const form = await sendRaw(deployment.url, rawRequest(`${method} ${TOKEN} HTTP/1.1`));
      expect(form).toEqual(formError(405, 'invalid_request'));
      expect(form.headers.get('allow')).toBe('POST, OPTIONS');
      const json = await sendRaw(
        deployment.url,
        rawRequest(`${method} ${TOKEN} HTTP/1.1`, ['Content-Type: application/json']),
      );
      expect(json).toEqual(jsonError(405, 'invalid_request'));
    });

    it('keeps the connection open after a body that is too large', async () => {
      const large = rawRequest(`POST ${TOKEN} HTTP/1.1`, [`Content-Type: ${FORM}`], 'a'.repeat(1024 * 1024));
      const next = rawRequest(`POST ${TOKEN} HTTP/1.1`, [`Content-Type: ${FORM}`], good());
      const responses = await exchangeRaw(deployment.url, Buffer.concat([large, next]), { responses: 2 });
      expect(responses[0]).toEqual(formError(413, 'invalid_request'));
      expect([responses[1]!.status, isNotStored(responses[1]!.headers)]).toEqual([200, true]);
    });
  });

  it('does not audit requests without a client id', async () => {
    const count = async () => {
      await deployment.core.flush();
      return (await deployment.database.query('SELECT id FROM audit_records')).length;
    };
    const before = await count();
    await tokens.post(`${GRANT}&scope=a`);
    await tokens.post('', { authorization: 'Basic x' });
    await tokens.post('{', { 'content-type': 'application/json' });
    expect(await count()).toBe(before);
    await tokens.byForm({ ...client, secret: 'wrong' });
    await deployment.core.flush();
    const failed = await deployment.database.query(
      "SELECT id FROM audit_records WHERE account_id = ? AND event = 'client.authentication-failed'",
      [idToBytes(client.account.id)],
    );
    expect(failed).toHaveLength(1);
  });
});
