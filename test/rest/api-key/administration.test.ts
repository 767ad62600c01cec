// Issuing, listing and revoking API keys: responses and stored data.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import type { RestResponse } from '../../support/rest-client.ts';
import { administrator, ENABLED, pathOf, serviceAccount } from './api-keys.ts';
import type { ApiKeyAdministrator } from './api-keys.ts';
import { comparable } from '../../support/callers.ts';

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let admin: ApiKeyAdministrator;
  let account: Account;

  beforeAll(async () => {
    deployment = await deploy({ ...kind, settings: ENABLED });
    admin = await administrator(deployment);
    account = await serviceAccount(deployment);
  });
  afterAll(() => deployment?.close());

  describe('issue', () => {
    it('returns 201 with the key, which is shown once and stored as a hash only', async () => {
      const response = await admin.issue(account, { label: 'Nightly sync' });
      expect(response.status).toBe(201);
      const { keyId, apiKey } = response.body;
      expect(response.body).toEqual({ keyId, apiKey, label: 'Nightly sync' });
      expect(apiKey).toMatch(/^svckey_[\w-]{49}$/);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('pragma')).toBe('no-cache');
      const rows = await deployment.database.query<{ key_hash: Uint8Array }>('SELECT * FROM api_keys');
      expect(rows.map((row) => Buffer.from(row.key_hash).toString('hex'))).toContain(
        createHash('sha256').update(apiKey).digest('hex'),
      );
      expect((await admin.list(account)).text).not.toContain(apiKey);
    });

    it('accepts an expiry time in the future, in any time zone', async () => {
      const end = new Date(deployment.clock.now() + 60_000);
      const local = new Date(end.getTime() + 2 * 3600_000).toISOString().replace('Z', '+02:00');
      const { body } = await admin.issue(account, { label: 'with an end', expiresAt: local });
      const [newest] = (await admin.list(account)).body;
      expect(newest).toMatchObject({ keyId: body.keyId, expiresAt: end.toISOString() });
    });

    it.each([
      ['one character', 'x'],
      ['100 characters of four bytes', '🔑'.repeat(100)],
      ['markup', '<script>alert(1)</script>'],
      ['SQL', "'); DROP TABLE api_keys; --"],
      ['blanks around', '  as given  '],
    ])('stores a label unchanged: %s', async (_what, label) => {
      const response = await admin.issue(account, { label });
      expect(response).toMatchObject({ status: 201, body: { label } });
      const [newest] = (await admin.list(account)).body;
      expect(newest).toMatchObject({ keyId: response.body.keyId, label });
    });

    it.each<[what: string, body: unknown, ...props: string[]]>([
      ['no label', {}, 'label'],
      ['an empty label', { label: '' }, 'label'],
      ['a blank label', { label: ' \t ' }, 'label'],
      ['101 characters', { label: 'x'.repeat(101) }, 'label'],
      ['a header', { label: 'a\r\nSet-Cookie: x=y' }, 'label'],
      ['NUL and other controls', { label: 'a\0b\u001b[31m' }, 'label'],
      ['bidirectional controls', { label: '\u202eyek' }, 'label'],
      ['a number', { label: 5 }, 'label'],
      ['null', { label: null }, 'label'],
      ['a list', { label: ['x'] }, 'label'],
      ['an unknown member', { label: 'x', scope: 'all' }, 'scope'],
      ['a computed member', { label: 'x', keyId: newId() }, 'keyId'],
      ['a date without time', { label: 'x', expiresAt: '2999-01-01' }, 'expiresAt'],
      ['a time without zone', { label: 'x', expiresAt: '2999-01-01T00:00:00' }, 'expiresAt'],
      ['an invalid day', { label: 'x', expiresAt: '2999-02-30T00:00:00Z' }, 'expiresAt'],
      ['a leap second', { label: 'x', expiresAt: '2999-12-31T23:59:60Z' }, 'expiresAt'],
      ['a number for a time', { label: 'x', expiresAt: 32503680000000 }, 'expiresAt'],
      ['null for a time', { label: 'x', expiresAt: null }, 'expiresAt'],
      ['a time in the past', { label: 'x', expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt'],
      ['both wrong', { label: 1, expiresAt: 2 }, 'label', 'expiresAt'],
      ['a list for a body', []],
      ['null for a body', 'null'],
      ['no JSON', '{"label":'],
      ['a label twice', '{"label":"x","label":"y"}'],
      ['a lone surrogate', '{"label":"\\ud800"}'],
    ])('returns 400: %s', async (_what, body, ...props) => {
      const response = await admin.issue(account, body);
      expect(response).toEqual(problem(400, 'validation-error', pathOf(account)));
      const violations: { props?: string[] }[] = response.body.violations ?? [];
      expect([...new Set(violations.flatMap((violation) => violation.props ?? []))].toSorted()).toEqual(
        props.toSorted(),
      );
    });

    it('returns 400 for the current time as the expiry time', async () => {
      const expiresAt = new Date(deployment.clock.now()).toISOString();
      expect((await admin.issue(account, { label: 'x', expiresAt })).status).toBe(400);
    });
  });

  describe('list', () => {
    it('returns the members of each key that have a value', async () => {
      const owner = await serviceAccount(deployment);
      const { keyId, apiKey } = (await admin.issue(owner, { label: 'one' })).body;
      const response = await admin.list(owner);
      expect(response.status).toBe(200);
      expect(response.body).toEqual([
        {
          keyId,
          label: 'one',
          prefix: apiKey.slice(0, 13),
          createdAt: new Date(deployment.clock.now()).toISOString(),
          createdBy: admin.account.id,
        },
      ]);
    });

    it('pages through unrevoked keys, newest first', async () => {
      const owner = await serviceAccount(deployment);
      const ids: string[] = [];
      for (let index = 0; index < 5; index += 1)
        ids.push((await admin.issue(owner, { label: `key ${index}` })).body.keyId);
      await admin.revoke(owner, ids[1]!);
      const newestFirst = [ids[4], ids[3], ids[2], ids[0]];
      const path = pathOf(owner);
      const link = (page: number, relation: string) => `<${path}?page=${page}&perPage=2>; rel="${relation}"`;
      const seen = async (query: string) => {
        const { status, body, headers } = await admin.list(owner, query);
        const paging = ['x-total-count', 'x-page', 'x-per-page'].map((name) => headers.get(name));
        const links = headers.get('link')!.replace(/after=[\w-]+/, 'after=cursor');
        return { status, ids: body.map((key: { keyId: string }) => key.keyId), paging, link: links };
      };
      expect(await seen('')).toMatchObject({ status: 200, ids: newestFirst, paging: ['4', '1', '20'] });
      expect(await seen('?perPage=2')).toEqual({
        status: 200,
        ids: newestFirst.slice(0, 2),
        paging: ['4', '1', '2'],
        link: [link(1, 'first'), `<${path}?after=cursor&perPage=2>; rel="next"`, link(2, 'last')].join(', '),
      });
      expect(await seen('?page=02&perPage=2')).toEqual({
        status: 200,
        ids: newestFirst.slice(2),
        paging: ['4', '2', '2'],
        link: [link(1, 'first'), link(1, 'prev'), link(2, 'last')].join(', '),
      });
      expect(await seen('?page=1000000&perPage=2')).toEqual({
        status: 200,
        ids: [],
        paging: ['4', '1000000', '2'],
        link: [link(1, 'first'), link(2, 'prev'), link(2, 'last')].join(', '),
      });
      expect(await seen('?perPage=100')).toMatchObject({ paging: ['4', '1', '100'] });
    });

    it.each([
      'page=0',
      'page=1000001',
      'page=-1',
      'page=1.0',
      'page=1e2',
      'page=',
      'page=+1',
      'page=%201',
      'page=٣',
      'page=99999999999999999999',
      'page=1&page=1',
      'perPage=0',
      'perPage=101',
      'perPage=ten',
      'perPage=%zz',
      'perPage=1&perPage=2',
      'page[]=1',
      'unknown=1',
      '__proto__=1',
      "page=1'--",
    ])('returns 400 for ?%s', async (query) => {
      expect(await admin.list(account, `?${query}`)).toEqual(problem(400, 'validation-error', pathOf(account)));
    });
  });

  describe('revoke', () => {
    it('returns 204 once, then 404', async () => {
      const { keyId } = (await admin.issue(account)).body;
      expect(await admin.revoke(account, keyId)).toMatchObject({ status: 204, text: '' });
      const again = await admin.revoke(account, keyId);
      expect(again).toEqual(problem(404, 'not-found', `${pathOf(account)}/${keyId}`));
    });

    it('returns 204 to exactly one of parallel deletions', async () => {
      const { keyId } = (await admin.issue(account)).body;
      const responses = await Promise.all(Array.from({ length: 10 }, () => admin.revoke(account, keyId)));
      expect(responses.filter(({ status }) => status === 204)).toHaveLength(1);
      expect(responses.filter(({ status }) => status === 404)).toHaveLength(9);
    });

    it("returns the same 404 for another account's key, a missing key and an invalid id", async () => {
      const other = await serviceAccount(deployment);
      const { keyId } = (await admin.issue(other)).body;
      const revoked = (await admin.issue(account)).body.keyId;
      await admin.revoke(account, revoked);
      const responses: RestResponse[] = [];
      for (const id of [keyId, revoked, newId(), 'x', keyId.toUpperCase(), '%00', "'--", 'a'.repeat(3000)]) {
        responses.push(await admin.revoke(account, id));
      }
      expect(responses[0]!.status).toBe(404);
      for (const response of responses) expect(comparable(response)).toEqual(comparable(responses[0]!));
      expect((await admin.list(other)).body).toHaveLength(1);
    });
  });

  it('records in the audit log which account issued and revoked which key', async () => {
    const owner = await serviceAccount(deployment);
    const { keyId } = (await admin.issue(owner, { label: 'audited' })).body;
    await admin.revoke(owner, keyId);
    await admin.revoke(owner, keyId);
    const records = await deployment.database.query<{
      event: string;
      username: string;
      actor_id: Uint8Array;
      details: string;
      client_address: string;
    }>('SELECT * FROM audit_records WHERE account_id = ? ORDER BY id', [
      Buffer.from(owner.id.replaceAll('-', ''), 'hex'),
    ]);
    expect(
      records.map(({ event, username, actor_id, details, client_address }) => ({
        event,
        username,
        actor: Buffer.from(actor_id).toString('hex'),
        details: JSON.parse(details),
        client_address,
      })),
    ).toEqual(
      ['api-key.issued', 'api-key.revoked'].map((event) => ({
        event,
        username: owner.username,
        actor: admin.account.id.replaceAll('-', ''),
        details: { keyId, label: 'audited' },
        client_address: '127.0.0.1',
      })),
    );
  });
});
