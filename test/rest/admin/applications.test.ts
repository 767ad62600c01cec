// /applications: responses by status.
import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { API, caller, etagOf, faults, type Caller } from '../../support/callers.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import { ID, openAdministration, TIME } from './administration.ts';

const CALLBACK = 'https://wiki.example.com/callback';
const FIELDS = { name: 'Wiki', type: 'WEB', redirectUris: [CALLBACK] };
const PATH = expect.stringMatching(/^\/api\/v1\/applications/);
const SECRET = expect.stringMatching(/^[\w-]{43}$/);
const SCOPES = ['openid', 'profile', 'email', 'roles', 'groups', 'tenant', 'offline_access'];
const publicKey = (kid: string) => ({
  ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }),
  kid,
});
const PNG = Buffer.from('89504e470d0a1a0a00', 'hex').toString('base64');

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const acme = openAdministration(kind);
  let globex: Caller;
  beforeAll(async () => {
    globex = await caller(acme.world.deployment, { tenantId: 'globex', roles: ['ADMIN'] });
  });
  const create = async (fields: object = {}, by: Caller = acme.admin) => {
    const response = await by.post('/applications', { ...FIELDS, ...fields });
    expect(response).toMatchObject({ status: 201 });
    const { body } = response;
    return { application: (body.application ?? body) as { id: string; clientId: string } };
  };

  it('POST: returns 201 with the application and its secret, which is shown once', async () => {
    const created = await acme.admin.post('/applications', FIELDS);
    const application = {
      id: ID,
      clientId: ID,
      ...FIELDS,
      tenantId: 'acme',
      shared: false,
      postLogoutRedirectUris: [],
      scopes: SCOPES,
      resources: [],
      firstParty: false,
      requirePkce: true,
      requirePar: false,
      idTokenAlgorithm: 'RS256',
      idTokenClaims: true,
      usernameForm: 'FULL',
      deviceGrant: false,
      accessTokenTtl: 900,
      refreshTokenIdle: 2_592_000,
      refreshTokenLifetime: 7_776_000,
      disabled: false,
      createdAt: TIME,
      updatedAt: TIME,
    };
    expect(created.body).toEqual({ application, clientSecret: SECRET });
    const { id } = created.body.application;
    expect(created.headers.get('location')).toBe(`${API}/applications/${id}`);
    expect(created.headers.get('cache-control')).toBe('no-store');
    const shown = await acme.admin.get(`/applications/${id}`);
    expect([shown.status, shown.body, etagOf(shown)]).toEqual([200, created.body.application, '"1"']);
  });

  it.each([
    ['runs in a browser', { type: 'SPA' }],
    ['runs on a device', { type: 'NATIVE' }],
    ['has keys', { jwks: { keys: [publicKey('a')] } }],
  ])('POST: returns 201 with the application itself, which has no secret, if it %s', async (_, fields) => {
    const created = await acme.admin.post('/applications', { ...FIELDS, ...fields });
    expect([created.status, etagOf(created)]).toEqual([201, '"1"']);
    const { id } = created.body as { id: string };
    expect(created.headers.get('location')).toBe(`${API}/applications/${id}`);
    expect(created.body).toEqual((await acme.admin.get(`/applications/${id}`)).body);
  });

  it('POST: keeps all fields', async () => {
    const fields = {
      clientId: `Wiki-${newId()}`,
      type: 'WEB',
      name: 'Wiki',
      redirectUris: [CALLBACK, 'http://localhost:3000/callback'],
      postLogoutRedirectUris: ['https://wiki.example.com/'],
      backchannelLogoutUri: 'https://wiki.example.com/logout',
      homeUrl: 'https://wiki.example.com/',
      logo: PNG,
      scopes: ['openid', 'email'],
      resources: ['https://api.example.com'],
      requirePkce: false,
      requirePar: true,
      jwks: { keys: [publicKey('a'), publicKey('b')] },
      idTokenAlgorithm: 'ES256',
      idTokenClaims: false,
      usernameForm: 'LOCAL_PART',
      requiredPermission: 'wiki:read',
      requiredAcr: 'mfa',
      deviceGrant: true,
      accessTokenTtl: 60,
      refreshTokenIdle: 60,
      refreshTokenLifetime: 34_560_000,
      disabled: true,
    };
    const { application } = await create(fields);
    expect(application).toMatchObject(fields);
    expect((await acme.admin.get(`/applications/${application.id}`)).body).toEqual(application);
  });

  it.each([
    ['no name', { name: undefined }, ['name']],
    ['no type', { type: undefined }, ['type']],
    ['no redirect URI', { redirectUris: [] }, ['redirectUris']],
    ['a redirect URI over plain HTTP', { redirectUris: [CALLBACK, 'http://wiki.example.com/'] }, ['redirectUris.1']],
    ['a fragment', { postLogoutRedirectUris: ['https://wiki.example.com/#a'] }, ['postLogoutRedirectUris.0']],
    ['a private scheme of a web application', { redirectUris: ['com.example:/cb'] }, ['redirectUris.0']],
    ['an unknown scope', { scopes: ['openid', 'admin'] }, ['scopes.1']],
    ['a client id with a blank', { clientId: 'my wiki' }, ['clientId']],
    ['a client id with a colon', { clientId: 'my:wiki' }, ['clientId']],
    ['no PKCE in a browser', { type: 'SPA', requirePkce: false }, ['requirePkce']],
    ['keys of a browser', { type: 'SPA', jwks: { keys: [publicKey('a')] } }, ['jwks']],
    ['no keys', { jwks: { keys: [] } }, ['jwks']],
    ['equal keys', { jwks: { keys: [publicKey('a'), publicKey('a')] } }, ['jwks']],
    ['a private key', { jwks: { keys: [{ ...publicKey('a'), d: 'x' }] } }, ['jwks']],
    ['a symmetric key', { jwks: { keys: [{ kty: 'oct', k: 'x', kid: 'a' }] } }, ['jwks']],
    ['a key without an id', { jwks: { keys: [{ ...publicKey('a'), kid: undefined }] } }, ['jwks']],
    ['a key that is none', { jwks: { keys: [{ kty: 'EC', crv: 'P-256', x: 'x', y: 'y', kid: 'a' }] } }, ['jwks']],
    ['a logo that is no PNG', { logo: 'aGFsbG8=' }, ['logo']],
    ['a logout URI over plain HTTP', { backchannelLogoutUri: 'http://wiki.example.com/' }, ['backchannelLogoutUri']],
    ['a home page that is no web page', { homeUrl: 'javascript:alert(1)' }, ['homeUrl']],
    ['a short lifetime', { accessTokenTtl: 59 }, ['accessTokenTtl']],
    ['a long lifetime', { refreshTokenLifetime: 34_560_001 }, ['refreshTokenLifetime']],
    ['another class', { requiredAcr: 'gold' }, ['requiredAcr']],
    ['an unknown tenant', { tenantId: 'missing' }, ['tenantId'], 'root'],
  ] as const)('POST: returns 400 for %s', async (_, fields, names, by: 'admin' | 'root' = 'admin') => {
    const refused = await acme[by].post('/applications', { ...FIELDS, ...fields });
    expect(refused).toMatchObject({ status: 400 });
    expect(faults(refused)).toEqual(names);
  });

  it('POST: returns 409 for a client id that is taken, also by an account', async () => {
    const { application } = await create();
    const { clientId } = application;
    expect(await acme.admin.post('/applications', { ...FIELDS, clientId })).toEqual(problem(409, 'conflict', PATH));
    expect(await globex.post('/applications', { ...FIELDS, clientId })).toEqual(problem(409, 'conflict', PATH));
    const sync = { clientId: `sync-${newId()}`, name: 'Sync', roles: ['SALES'] };
    expect(await acme.admin.post('/service-accounts', sync)).toMatchObject({ status: 201 });
    const taken = { ...FIELDS, clientId: sync.clientId };
    expect(await acme.admin.post('/applications', taken)).toEqual(problem(409, 'conflict', PATH));
  });

  it('lets only a SUPER_ADMIN skip the consent, or serve all tenants', async () => {
    const denied = problem(403, 'permission-denied', PATH);
    expect(await acme.admin.post('/applications', { ...FIELDS, firstParty: true })).toEqual(denied);
    const { application: trusted } = await create({ firstParty: true, tenantId: 'acme' }, acme.root);
    expect(await acme.admin.get(`/applications/${trusted.id}`)).toMatchObject({ status: 200 });
    for (const refused of [
      await acme.admin.patch(`/applications/${trusted.id}`, { name: 'Mine' }),
      await acme.admin.delete(`/applications/${trusted.id}`),
      await acme.admin.post(`/applications/${trusted.id}/secrets`, {}),
    ])
      expect(refused).toEqual(denied);
    const { application: shared } = await create({}, acme.root);
    const { application: own } = await create();
    expect(await acme.admin.patch(`/applications/${own.id}`, { firstParty: true })).toEqual(denied);
    expect((await acme.admin.get(`/applications/${shared.id}`)).body).toMatchObject({ shared: true });
    expect(await acme.admin.patch(`/applications/${shared.id}`, { name: 'Mine' })).toEqual(denied);
    expect(await acme.root.patch(`/applications/${shared.id}`, { name: 'Ours' })).toMatchObject({ status: 200 });
  });

  it('GET: lists those of the tenant and those for all, newest first', async () => {
    const { application: shared } = await create({ name: 'Zebra shared' }, acme.root);
    const { application: own } = await create({ name: 'Zebra own', disabled: true });
    const idsOf = async (by: Caller, query: string) => {
      const response = await by.get(`/applications?query=zebra&${query}`);
      expect(response.status).toBe(200);
      return (response.body as { id: string }[]).map(({ id }) => id);
    };
    expect(await idsOf(acme.admin, '')).toEqual([own.id, shared.id]);
    expect(await idsOf(globex, '')).toEqual([shared.id]);
    expect(await idsOf(acme.root, '')).toEqual([own.id, shared.id]);
    expect(await idsOf(acme.root, 'tenantId=globex')).toEqual([shared.id]);
    expect(await idsOf(acme.admin, 'disabled=true')).toEqual([own.id]);
    expect(await idsOf(acme.admin, 'perPage=1&page=2')).toEqual([shared.id]);
  });

  it('PATCH: changes fields, removes others, and wants the version', async () => {
    const { application } = await create({ homeUrl: 'https://wiki.example.com/', scopes: ['openid'] });
    const path = `/applications/${application.id}`;
    const changed = await acme.admin.patch(
      path,
      { name: 'Docs', homeUrl: null, scopes: ['email'] },
      { 'if-match': '"1"' },
    );
    expect(changed.body).toMatchObject({ name: 'Docs', scopes: ['email'], redirectUris: [CALLBACK] });
    expect(changed.body).not.toHaveProperty('homeUrl');
    expect(etagOf(changed)).toBe('"2"');
    const late = await acme.admin.patch(path, { name: 'Late' }, { 'if-match': '"1"' });
    expect(late).toEqual(problem(412, 'precondition-failed', PATH));
    expect(faults(await acme.admin.patch(path, { redirectUris: ['http://a.example/'] }))).toEqual(['redirectUris.0']);
    expect(faults(await acme.admin.patch(path, { clientId: 'other' }))).toEqual(['clientId']);
    expect(faults(await acme.admin.patch(path, { type: 'SPA' }))).toEqual(['type']);
  });

  it('has at most two secrets, each with its own end', async () => {
    const { application } = await create();
    const path = `/applications/${application.id}/secrets`;
    const second = await acme.admin.post(path, {});
    expect(second).toMatchObject({ status: 201, body: { clientSecret: SECRET, secret: { id: ID, createdAt: TIME } } });
    expect(await acme.admin.post(path, {})).toEqual(problem(409, 'conflict', PATH));
    const { id } = second.body.secret;
    expect(await acme.admin.post(`${path}/${id}/expire`, {})).toMatchObject({ status: 200, body: { expiresAt: TIME } });
    expect(await acme.admin.post(`${path}/${id}/expire`, {})).toMatchObject({ status: 404 });
    expect((await acme.admin.get(path)).body).toHaveLength(1);
    const { application: native } = await create({ type: 'NATIVE' });
    const refused = await acme.admin.post(`/applications/${native.id}/secrets`, {});
    expect(refused).toEqual(problem(409, 'conflict', PATH));
  });

  it("returns 404 for another tenant's application, and after DELETE", async () => {
    const { application } = await create();
    const path = `/applications/${application.id}`;
    for (const response of [
      await globex.get(path),
      await globex.patch(path, { name: 'Mine' }),
      await globex.delete(path),
      await globex.get(`${path}/secrets`),
    ])
      expect(response).toEqual(problem(404, 'not-found', PATH));
    expect(await acme.admin.delete(path)).toMatchObject({ status: 204 });
    expect(await acme.admin.get(path)).toMatchObject({ status: 404 });
    expect(await acme.admin.delete(path)).toMatchObject({ status: 404 });
    const secrets = await acme.world.deployment.database.query(
      'SELECT HEX(application_id) AS id FROM application_secrets',
    );
    const owner = application.id.replaceAll('-', '').toUpperCase();
    expect(secrets.map((row) => (row as { id: string }).id)).not.toContain(owner);
  });
});
