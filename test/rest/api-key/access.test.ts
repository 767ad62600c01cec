// The administration of API keys: permissions, tenants and the order of checks.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { ROLES, type Role } from '../../../src/auth/access/roles/built-in-roles.ts';
import { deploy, ON_SQLITE, type Deployment } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import { bearer, restClient, type RestResponse } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';
import { administrator, administratorWith, ENABLED, pathOf, serviceAccount } from './api-keys.ts';
import type { ApiKeyAdministrator } from './api-keys.ts';
import { comparable } from '../../support/callers.ts';

const ADMINISTRATORS: readonly Role[] = ['SUPER_ADMIN', 'TENANT_ADMIN', 'ADMIN', 'OWNER'];
const UNAUTHORIZED = 'Unauthorized - Missing or invalid token';

describe.each(ON_SQLITE)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let admin: ApiKeyAdministrator;
  let account: Account;

  beforeAll(async () => {
    deployment = await deploy({ ...kind, settings: ENABLED });
    admin = await administrator(deployment);
    account = await serviceAccount(deployment);
  });
  afterAll(() => deployment?.close());

  /** Each endpoint as a caller may try it, with a good request. */
  const ENDPOINTS: readonly [
    name: string,
    call: (by: ApiKeyAdministrator, of: Account | string) => Promise<RestResponse>,
  ][] = [
    ['POST', (by, of) => by.issue(of)],
    ['GET', (by, of) => by.list(of)],
    ['DELETE', (by, of) => by.revoke(of, newId())],
  ];

  describe('permission by role', () => {
    it.each(ROLES)('%s', async (role) => {
      const by = await administrator(deployment, {
        roles: [role],
        ...(role === 'SUPER_ADMIN' && { tenantId: undefined }),
      });
      const allowed = ADMINISTRATORS.includes(role);
      const issued = await by.issue(account);
      const listed = await by.list(account);
      const { keyId } = allowed ? issued.body : (await admin.issue(account)).body;
      const revoked = await by.revoke(account, keyId);
      expect([issued.status, listed.status, revoked.status]).toEqual(allowed ? [201, 200, 204] : [403, 403, 403]);
      if (allowed) return;
      expect(issued).toEqual(problem(403, 'permission-denied', pathOf(account)));
      expect(listed).toEqual(problem(403, 'permission-denied', pathOf(account)));
      expect(revoked).toEqual(problem(403, 'permission-denied', `${pathOf(account)}/${keyId}`));
      expect((await by.issue('x', { nonsense: true })).status).toBe(403);
    });

    it('applies the permissions of a second role', async () => {
      const by = await administrator(deployment, { roles: ['SALES', 'OWNER'] });
      expect((await by.list(account)).status).toBe(200);
    });

    it('applies the current roles, not those in the token', async () => {
      const by = await administrator(deployment);
      expect((await by.list(account)).status).toBe(200);
      const sales = 'UPDATE accounts SET roles = ? WHERE username = ?';
      await deployment.database.execute(sales, ['SALES', Buffer.from(by.account.username)]);
      expect((await by.list(account)).status).toBe(403);
    });
  });

  describe('tenants', () => {
    it.each(ENDPOINTS)(
      '%s: returns the same 404 for an account of another tenant, a missing account and a malformed id',
      async (_name, call) => {
        const foreign = await serviceAccount(deployment, { tenantId: 'globex' });
        const foreignUser = (await administrator(deployment, { tenantId: 'globex' })).account;
        const responses: RestResponse[] = [];
        for (const of of [foreign, foreignUser, newId(), 'x', account.id.toUpperCase(), '%00', 'a'.repeat(3000)])
          responses.push(await call(admin, of));
        expect(responses[0]).toMatchObject({ status: 404, body: { errorCode: 'not-found' } });
        for (const response of responses) expect(comparable(response)).toEqual(comparable(responses[0]!));
      },
    );

    it("another tenant's administrator cannot revoke a key", async () => {
      const stranger = await administrator(deployment, { tenantId: 'globex', roles: ['TENANT_ADMIN'] });
      const { keyId } = (await admin.issue(account)).body;
      expect((await stranger.revoke(account, keyId)).status).toBe(404);
      expect((await admin.list(account)).body).toContainEqual(expect.objectContaining({ keyId }));
    });

    it('SUPER_ADMIN can use every tenant', async () => {
      const root = await administrator(deployment, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
      const foreign = await serviceAccount(deployment, { tenantId: 'globex' });
      const { keyId } = (await root.issue(foreign)).body;
      expect((await root.list(foreign)).body).toMatchObject([{ keyId, createdBy: root.account.id }]);
      expect((await root.revoke(foreign, keyId)).status).toBe(204);
    });

    it.each(ENDPOINTS)('%s: returns 409 for a user, who cannot have keys', async (name, call) => {
      const instance = name === 'DELETE' ? expect.stringContaining(pathOf(admin.account)) : pathOf(admin.account);
      expect(await call(admin, admin.account)).toEqual(problem(409, 'principal-not-eligible', instance as string));
    });
  });

  describe('order of checks', () => {
    const nobody = () => administratorWith(deployment.url, admin.account, {});
    const broken: readonly [what: string, send: (by: ApiKeyAdministrator, of: string) => Promise<RestResponse>][] = [
      ['no JSON', (by, of) => by.issue(of, '{"label":')],
      ['a duplicate key', (by, of) => by.issue(of, '{"label":"x","label":"y"}')],
      ['an unknown member', (by, of) => by.issue(of, { label: 'x', more: 1 })],
      ['a wrong type', (by, of) => by.issue(of, { label: 1 })],
      ['a label that is too long', (by, of) => by.issue(of, { label: 'x'.repeat(101) })],
      ['an end in the past', (by, of) => by.issue(of, { label: 'x', expiresAt: '2020-01-01T00:00:00Z' })],
      ['a leap second', (by, of) => by.issue(of, { label: 'x', expiresAt: '2999-12-31T23:59:60Z' })],
      ['a bad page', (by, of) => by.list(of, '?page=x')],
      ['an unknown parameter', (by, of) => by.list(of, '?x=1')],
    ];

    it.each(broken)('%s: checks credential, role, record, body and state in that order', async (_what, send) => {
      const seller = await administrator(deployment, { roles: ['SALES'] });
      expect(await send(nobody(), 'x')).toMatchObject({ status: 401, body: { detail: UNAUTHORIZED } });
      expect(await send(seller, 'x')).toMatchObject({ status: 403, body: { errorCode: 'permission-denied' } });
      expect(await send(admin, 'x')).toMatchObject({ status: 404, body: { errorCode: 'not-found' } });
      expect(await send(admin, newId())).toMatchObject({ status: 404, body: { errorCode: 'not-found' } });
      expect(await send(admin, admin.account.id)).toMatchObject({
        status: 400,
        body: { errorCode: 'validation-error' },
      });
      expect(await send(admin, account.id)).toMatchObject({ status: 400, body: { errorCode: 'validation-error' } });
    });

    it.each<[what: string, status: number, init: RequestInit]>([
      ['another media type', 415, { headers: { 'content-type': 'text/plain' }, body: 'x' }],
      ['no body', 400, {}],
      ['a body that is too large', 413, { headers: { 'content-type': 'application/json' }, body: ' '.repeat(70_000) }],
    ])('%s', async (_what, status, init) => {
      const send = async (of: string, headers: Record<string, string>) =>
        (
          await restClient(deployment.url).send('POST', pathOf(of), {
            ...init,
            headers: { ...(init.headers as Record<string, string>), ...headers },
          })
        ).status;
      const seller = await administrator(deployment, { roles: ['SALES'] });
      expect(await send(account.id, {})).toBe(401);
      expect(await send(account.id, seller.headers)).toBe(403);
      expect(await send('x', admin.headers)).toBe(404);
      expect(await send(account.id, admin.headers)).toBe(status);
    });

    it('a rejected request creates no key', async () => {
      const owner = await serviceAccount(deployment);
      for (const [, send] of broken) await send(admin, owner.id);
      expect((await admin.list(owner)).headers.get('x-total-count')).toBe('0');
    });
  });

  it('accepts the access token of a service account with the role ADMIN', async () => {
    const machine = await serviceAccount(deployment, { roles: ['ADMIN'] });
    const { accessToken } = await seedSession(deployment, machine);
    const by = administratorWith(deployment.url, machine, bearer(accessToken));
    expect((await by.issue(account)).status).toBe(201);
  });
});
