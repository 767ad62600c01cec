// /applications: the rules of their fields, and who may change them.
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { caller, etagOf, faults, type Caller } from '../../support/callers.ts';
import { deploy, ON_SQLITE } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import { openAdministration } from './administration.ts';

const CALLBACK = 'https://wiki.example.com/callback';
const FIELDS = { name: 'Wiki', type: 'WEB', redirectUris: [CALLBACK] };
const PATH = expect.stringMatching(/^\/api\/v1\/applications/);
const DENIED = problem(403, 'permission-denied', PATH);
/** The name of the tests' service. */
const AUDIENCE = 'my-shop';
const ISSUER = 'https://login.example.com';
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');
const pngOf = (width: number, height: number) => {
  const header = Buffer.from('0000000d494844520000000000000000010000000000000000', 'hex');
  header.writeUInt32BE(width, 8);
  header.writeUInt32BE(height, 12);
  return Buffer.concat([PNG, header]).toString('base64');
};
const png = (bytes: number) => Buffer.concat([PNG, Buffer.alloc(bytes - PNG.length)]).toString('base64');
const uris = (count: number) => Array.from({ length: count }, (_, index) => `https://wiki.example.com/${index}`);
const publicJwk = ({ publicKey }: { readonly publicKey: KeyObject }) => publicKey.export({ format: 'jwk' });
const EC = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 });
const keys = (...jwks: object[]) => ({ jwks: { keys: jwks } });
const copies = (count: number) => Array.from({ length: count }, (_, index) => ({ ...publicJwk(EC), kid: `${index}` }));

describe.each(ON_SQLITE)('$engine over $transport', (kind) => {
  const acme = openAdministration({
    ...kind,
    settings: { 'app.security.jwt.issuer': ISSUER },
  });
  let globex: Caller;
  beforeAll(async () => {
    globex = await caller(acme.world.deployment, { tenantId: 'globex', roles: ['ADMIN'] });
  });
  const create = async (fields: object = {}, by: Caller = acme.admin) => {
    const response = await by.post('/applications', { ...FIELDS, ...fields });
    expect(response).toMatchObject({ status: 201 });
    const { body } = response;
    return (body.application ?? body) as { id: string; clientId: string };
  };

  it.each([
    ['20 redirect URIs', { redirectUris: uris(20) }],
    ['a URI of 2,000 characters', { redirectUris: [CALLBACK.padEnd(2_000, 'x')] }],
    [
      'URIs, keys and a logo of the largest sizes',
      {
        redirectUris: uris(20).map((uri) => uri.padEnd(2_000, 'x')),
        postLogoutRedirectUris: uris(20).map((uri) => uri.padEnd(2_000, 'x')),
        logo: png(32_768),
        ...keys(...copies(5)),
      },
    ],
    ['a logo of 2,048 × 2,048 pixels', { logo: pngOf(2_048, 2_048) }],
    ['no redirect URI of a device', { redirectUris: [], deviceGrant: true }],
    ['no redirect URI, left out, of a device', { redirectUris: undefined, deviceGrant: true }],
    ['a private scheme with a dot', { type: 'NATIVE', redirectUris: ['com.example.wiki:/callback'] }],
    [
      'loopback hosts',
      { type: 'NATIVE', redirectUris: ['http://127.0.0.1/cb', 'http://[::1]/cb', 'http://localhost/cb'] },
    ],
    ['a logout URI of this machine outside PROD', { backchannelLogoutUri: 'http://localhost:3000/logout' }],
    ['a client id of 100 characters', { clientId: newId().padEnd(100, '._~-') }],
    ['an RSA key', keys({ ...publicJwk(RSA), kid: 'a', alg: 'PS256', use: 'sig' })],
    ['no PKCE of a web application', { requirePkce: false }],
    [
      'the longest lifetimes',
      { accessTokenTtl: 3_600, refreshTokenIdle: 34_560_000, refreshTokenLifetime: 34_560_000 },
    ],
    ['the shortest lifetimes', { accessTokenTtl: 60, refreshTokenIdle: 60, refreshTokenLifetime: 60 }],
    ['a built-in permission', { requiredPermission: 'READ_AUDIT' }],
  ] as const)('POST: accepts %s', async (_, fields) => {
    await create(fields);
  });

  it.each([
    ['21 redirect URIs', { redirectUris: uris(21) }, ['redirectUris']],
    ['one URI twice', { redirectUris: [CALLBACK, CALLBACK] }, ['redirectUris']],
    ['a URI of 2,001 characters', { redirectUris: [CALLBACK.padEnd(2_001, 'x')] }, ['redirectUris.0']],
    ['a wildcard', { redirectUris: ['https://*.example.com/'] }, ['redirectUris.0']],
    ['a private scheme without a dot', { type: 'NATIVE', redirectUris: ['wiki:/cb'] }, ['redirectUris.0']],
    ['a private scheme after a logout', { postLogoutRedirectUris: ['com.example:/'] }, ['postLogoutRedirectUris.0']],
    [
      'user information after a logout',
      { postLogoutRedirectUris: ['https://a@b.example/'] },
      ['postLogoutRedirectUris.0'],
    ],
    ['a fragment at the end of a session', { backchannelLogoutUri: `${CALLBACK}#a` }, ['backchannelLogoutUri']],
    ['an empty fragment', { backchannelLogoutUri: `${CALLBACK}#` }, ['backchannelLogoutUri']],
    ['a port of mail servers', { backchannelLogoutUri: 'https://wiki.example.com:25/' }, ['backchannelLogoutUri']],
    ['user information', { backchannelLogoutUri: 'https://a:b@wiki.example.com/' }, ['backchannelLogoutUri']],
    ['empty user information', { backchannelLogoutUri: 'https://@wiki.example.com/' }, ['backchannelLogoutUri']],
    ['a URL without a host', { backchannelLogoutUri: 'https:wiki.example.com' }, ['backchannelLogoutUri']],
    ['a relative home page', { homeUrl: '//wiki.example.com' }, ['homeUrl']],
    ['no PKCE of a native application', { type: 'NATIVE', requirePkce: false }, ['requirePkce']],
    ['6 keys', keys(...copies(6)), ['jwks']],
    ['no set of keys', { jwks: { key: publicJwk(EC) } }, ['jwks']],
    ['a private RSA key', keys({ ...RSA.privateKey.export({ format: 'jwk' }), kid: 'a' }), ['jwks']],
    ['a secret', keys({ kty: 'oct', k: 'AAAA', kid: 'a' }), ['jwks']],
    ['an empty key id', keys({ ...publicJwk(EC), kid: '' }), ['jwks']],
    ['a number as key id', keys({ ...publicJwk(EC), kid: 1 }), ['jwks']],
    [
      'a short RSA key',
      keys({ ...publicJwk(generateKeyPairSync('rsa', { modulusLength: 1024 })), kid: 'a' }),
      ['jwks'],
    ],
    [
      'a key of another curve',
      keys({ ...publicJwk(generateKeyPairSync('ec', { namedCurve: 'P-384' })), kid: 'a' }),
      ['jwks'],
    ],
    ['a key for encryption', keys({ ...publicJwk(RSA), kid: 'a', alg: 'RSA-OAEP' }), ['jwks']],
    ['keys of a native application', { type: 'NATIVE', ...keys(...copies(1)) }, ['jwks']],
    ['the issuer as an audience', { resources: [ISSUER] }, ['resources.0']],
    ['a logo of 32,769 bytes', { logo: png(32_769) }, ['logo']],
    ['a logo of 2,049 pixels in width', { logo: pngOf(2_049, 1) }, ['logo']],
    ['a logo of 2^31 - 1 pixels in height', { logo: pngOf(1, 2 ** 31 - 1) }, ['logo']],
    ['a client id of 101 characters', { clientId: 'x'.repeat(101) }, ['clientId']],
    ['an empty client id', { clientId: '' }, ['clientId']],
    ['a client id with a slash', { clientId: 'a/b' }, ['clientId']],
    ['a client id with a percent sign', { clientId: 'a%20b' }, ['clientId']],
    ['an unknown type', { type: 'SERVER' }, ['type']],
    ['an unknown permission', { requiredPermission: 'READ_MINDS' }, ['requiredPermission']],
    ['a long lifetime', { accessTokenTtl: 3_601 }, ['accessTokenTtl']],
    ['a short idle time', { refreshTokenIdle: 59 }, ['refreshTokenIdle']],
    ['an unknown field', { pairwise: true }, ['pairwise']],
  ] as const)('POST: returns 400 for %s', async (_, fields, names) => {
    const refused = await acme.admin.post('/applications', { ...FIELDS, ...fields });
    expect([refused.status, faults(refused)]).toEqual([400, names]);
  });

  it.each(['clientId', 'type', 'tenantId', 'id', 'shared', 'createdAt'])('PATCH: does not change %s', async (name) => {
    const { id } = await create();
    const refused = await acme.root.patch(`/applications/${id}`, { [name]: 'globex' });
    expect([refused.status, faults(refused)]).toEqual([400, [name]]);
  });

  it('PATCH: returns fields to their defaults by null, and keeps the version without a change', async () => {
    const changed = {
      requirePkce: false,
      accessTokenTtl: 60,
      scopes: ['openid'],
      usernameForm: 'LOCAL_PART',
      logo: png(9),
    };
    const { id } = await create(changed);
    const path = `/applications/${id}`;
    expect(etagOf(await acme.admin.patch(path, { accessTokenTtl: 60 }))).toBe('"1"');
    const nothing = Object.fromEntries(Object.keys(changed).map((name) => [name, null]));
    const after = await acme.admin.patch(path, nothing);
    expect(after).toMatchObject({ status: 200 });
    expect(after.body).toMatchObject({ requirePkce: true, accessTokenTtl: 900, usernameForm: 'FULL' });
    expect([after.body.scopes.length, 'logo' in after.body, etagOf(after)]).toEqual([7, false, '"2"']);
    expect(faults(await acme.admin.patch(path, { name: null }))).toEqual(['name']);
    expect(faults(await acme.admin.patch(path, { redirectUris: [] }))).toEqual(['redirectUris']);
  });

  it('PATCH: changes other fields while a setting no longer allows one', async () => {
    const { id } = await create({ idTokenAlgorithm: 'ES256' });
    const { databaseUrl, clock } = acme.world.deployment;
    const settings = { 'app.security.jwt.issuer': ISSUER, 'app.security.jwt.algorithm': 'EdDSA' };
    const changed = await deploy({ ...kind, databaseUrl, clock, settings });
    const by = await caller(changed, { roles: ['ADMIN'] });
    expect(await by.patch(`/applications/${id}`, { disabled: true })).toMatchObject({ status: 200 });
    const again = { disabled: false, idTokenAlgorithm: 'ES256' };
    expect(faults(await by.patch(`/applications/${id}`, again))).toEqual(['idTokenAlgorithm']);
    await changed.close();
  });

  it('DELETE: knows the version, which is no answer to GET', async () => {
    const { id } = await create();
    const path = `/applications/${id}`;
    expect(await acme.admin.get(path, { 'if-none-match': '"1"' })).toMatchObject({ status: 200 });
    expect(await acme.admin.delete(path, { 'if-match': '"2"' })).toEqual(problem(412, 'precondition-failed', PATH));
    expect(await acme.admin.delete(path, { 'if-match': 'W/"1"' })).toMatchObject({ status: 204 });
  });

  it('records what was done, with its tenant', async () => {
    const { id, clientId } = await create();
    await acme.admin.patch(`/applications/${id}`, { name: 'Docs', disabled: true });
    await acme.admin.delete(`/applications/${id}`);
    const { body } = await acme.admin.get('/audit-records?perPage=20');
    const mine = (
      body as { event: string; tenantId: string; actorId: string; details: { application?: string } }[]
    ).filter(({ details }) => details.application === id);
    expect(mine.map(({ event, details }) => [event, details]).toReversed()).toEqual([
      ['application.created', { application: id, clientId, type: 'WEB' }],
      ['application.changed', { application: id, clientId, fields: 'name,disabled' }],
      ['application.deleted', { application: id, clientId }],
    ]);
    expect(new Set(mine.map(({ tenantId, actorId }) => `${tenantId} ${actorId}`))).toEqual(
      new Set([`acme ${acme.admin.account.id}`]),
    );
  });

  it.each([
    ['needs no consent', { firstParty: true }],
    ['has the audience of this service', { resources: ['https://api.example.com', AUDIENCE] }],
  ] as const)('lets only a SUPER_ADMIN have and change an application that %s', async (_, fields) => {
    expect(await acme.admin.post('/applications', { ...FIELDS, ...fields })).toEqual(DENIED);
    const own = await create();
    expect(await acme.admin.patch(`/applications/${own.id}`, fields)).toEqual(DENIED);
    const { id } = await create({ ...fields, tenantId: 'acme' }, acme.root);
    const path = `/applications/${id}`;
    expect(await acme.admin.get(path)).toMatchObject({ status: 200, body: { shared: false } });
    const [secret] = (await acme.admin.get(`${path}/secrets`)).body;
    for (const refused of [
      await acme.admin.patch(path, { name: 'Mine' }),
      await acme.admin.patch(path, { redirectUris: ['https://evil.example/'] }),
      await acme.admin.patch(path, { firstParty: false, resources: [] }),
      await acme.admin.patch(path, { disabled: true }),
      await acme.admin.delete(path),
      await acme.admin.post(`${path}/secrets`, {}),
      await acme.admin.post(`${path}/secrets/${secret.id}/expire`, {}),
    ])
      expect(refused).toEqual(DENIED);
    expect(await globex.patch(path, { name: 'Mine' })).toEqual(problem(404, 'not-found', PATH));
    expect(await acme.root.patch(path, { firstParty: false, resources: [] })).toMatchObject({ status: 200 });
    expect(await acme.admin.patch(path, { name: 'Mine' })).toMatchObject({ status: 200 });
  });

  it("shows an application for all tenants to their administrators, who can't change it", async () => {
    const { id } = await create({}, acme.root);
    const path = `/applications/${id}`;
    for (const by of [acme.admin, globex]) {
      const shown = await by.get(path);
      expect(shown).toMatchObject({ status: 200, body: { shared: true } });
      expect(shown.body).not.toHaveProperty('tenantId');
      const [secret] = (await acme.root.get(`${path}/secrets`)).body;
      for (const refused of [
        await by.patch(path, { name: 'Mine' }),
        await by.delete(path),
        await by.post(`${path}/secrets`, {}),
        await by.post(`${path}/secrets/${secret.id}/expire`, {}),
      ])
        expect(refused).toEqual(DENIED);
    }
  });

  it('is made by administrators of a tenant in their own', async () => {
    const foreign = await acme.admin.post('/applications', { ...FIELDS, tenantId: 'globex' });
    expect(foreign).toEqual(problem(403, 'tenant-mismatch', PATH));
    expect(await acme.admin.get('/applications?tenantId=globex')).toEqual(problem(403, 'tenant-mismatch', PATH));
    expect(await create({ tenantId: 'acme' })).toMatchObject({ tenantId: 'acme' });
    const seller = await caller(acme.world.deployment, { roles: ['MANAGER'] });
    expect(await seller.get('/applications')).toEqual(DENIED);
  });

  it('is in no list of service accounts or users', async () => {
    const { clientId } = await create();
    for (const list of ['service-accounts', 'users'])
      expect((await acme.admin.get(`/${list}?query=${clientId}`)).body).toEqual([]);
    const { id } = await create();
    expect(await acme.admin.get(`/service-accounts/${id}`)).toMatchObject({ status: 404 });
    expect(await acme.admin.get(`/users/${id}`)).toMatchObject({ status: 404 });
  });

  it('keeps the name of this service for its own tokens', async () => {
    expect(await acme.admin.post('/applications', { ...FIELDS, clientId: AUDIENCE })).toEqual(
      problem(409, 'conflict', PATH),
    );
  });
});
