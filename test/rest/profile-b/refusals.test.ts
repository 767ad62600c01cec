// Logs and audit records of rejected refreshes in both profiles: reason, session and client address, never a secret.
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bytesToId, idToBytes } from '../../../src/platform/db/ids.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import { createOpaqueRefreshTokens } from '../../../src/auth/session/transport/cookie-transport.ts';
import { seedAccount } from '../../support/accounts.ts';
import { deploy, ON_SQLITE, type Deployment } from '../../support/deployment.ts';
import { addGateway, type AddedGateway } from '../../support/gateways.ts';
import { leaksOf } from '../../support/leaks.ts';
import { restClient, type RestResponse } from '../../support/rest-client.ts';
import { seedSession, seedTokens } from '../../support/sessions.ts';
import { tokenClient } from '../../support/token-client.ts';

/** pino's number of the level, or its name. */
const WARN = expect.toSatisfy((level) => level === 40 || level === 'warn', 'a warning');
const DAY_MS = 24 * 3600_000;
const FOREIGN = createOpaqueRefreshTokens(Buffer.alloc(32, 9)).issue(1).value;
const ADDRESS = '203.0.113.9';

interface Opened {
  readonly id: string;
  readonly credential: string;
}

interface AuditRow {
  tenant_id: Uint8Array;
  event: string;
  account_id: Uint8Array | null;
  client_address: string;
  request_id: string;
  details: string;
}

describe.each(ON_SQLITE)('$engine', ({ engine }) => {
  let deployment: Deployment;
  let gatewayB: AddedGateway;
  let account: Account;
  const lines: string[] = [];

  beforeAll(async () => {
    const settings = { 'app.http.trusted-proxies': '127.0.0.1' };
    deployment = await deploy({
      engine,
      transport: 'local',
      settings,
      log: { write: (line) => void lines.push(line) },
    });
    gatewayB = await addGateway(deployment, { ...settings, 'app.security.auth-profile': 'B' });
  });
  afterAll(async () => {
    await gatewayB?.close();
    await deployment?.close();
  });
  beforeEach(async () => {
    account = await seedAccount(deployment.database);
    await deployment.core.flush();
    await deployment.database.execute('DELETE FROM audit_records');
    lines.length = 0;
  });

  const audited = async () => {
    await deployment.core.flush();
    const rows = await deployment.database.query<AuditRow>('SELECT * FROM audit_records ORDER BY id');
    return rows.map((row) => ({
      event: row.event,
      tenantId: Buffer.from(row.tenant_id).toString(),
      accountId: row.account_id && bytesToId(row.account_id),
      clientAddress: row.client_address,
      requestId: row.request_id,
      details: JSON.parse(row.details),
    }));
  };
  const headers = { 'x-request-id': 'the-request', 'x-forwarded-for': ADDRESS };
  const sql = (text: string, ...values: Buffer[]) => deployment.database.execute(text, values);

  const PROFILES = [
    {
      profile: 'A',
      open: (): Promise<Opened> => seedSession(deployment, account),
      refresh: (credential: string): Promise<RestResponse> =>
        restClient(deployment.url).refresh(`MY_SHOP_REFRESH=${credential}`, headers),
      nextOf: (response: RestResponse) => response.cookies[0]!.value,
    },
    {
      profile: 'B',
      open: (): Promise<Opened> => seedTokens(deployment, account),
      refresh: (credential: string): Promise<RestResponse> => tokenClient(gatewayB.url).refresh(credential, headers),
      nextOf: (response: RestResponse): string => response.body.refresh_token,
    },
  ];

  describe.each(PROFILES)('profile $profile', ({ profile, open, refresh, nextOf }) => {
    interface Example {
      readonly refusal: string;
      /** What is tried, once the session is in the state. */
      readonly prepare: (session: Opened) => Promise<string>;
      /** The session is known, and so whose it is. */
      readonly attributed?: true;
    }
    const EXAMPLES: Example[] = [
      { refusal: 'malformed', prepare: async () => 'garbage' },
      { refusal: 'malformed', prepare: async () => FOREIGN },
      { refusal: 'malformed', prepare: async ({ credential }) => `${credential}x` },
      {
        refusal: 'unknown',
        prepare: async ({ credential, id }) => {
          await sql('DELETE FROM session_families WHERE id = ?', idToBytes(id));
          return credential;
        },
      },
      {
        refusal: 'unknown',
        attributed: true,
        prepare: async ({ credential, id }) => {
          await sql('UPDATE session_families SET verifier_hash = ? WHERE id = ?', Buffer.alloc(32), idToBytes(id));
          return credential;
        },
      },
      {
        refusal: 'expired',
        attributed: true,
        prepare: async ({ credential }) => {
          deployment.clock.advance(7 * DAY_MS);
          return credential;
        },
      },
      {
        refusal: 'revoked',
        attributed: true,
        prepare: async ({ credential, id }) => {
          await sql('UPDATE session_families SET revoked_at = 1 WHERE id = ?', idToBytes(id));
          return credential;
        },
      },
      {
        refusal: 'not eligible',
        attributed: true,
        prepare: async ({ credential }) => {
          await sql('UPDATE accounts SET disabled = 1 WHERE id = ?', idToBytes(account.id));
          return credential;
        },
      },
    ];

    it.each(EXAMPLES)('logs and audits a rejected refresh: $refusal', async ({ refusal, prepare, attributed }) => {
      const session = await open();
      const credential = await prepare(session);
      const response = await refresh(credential);
      expect(response.status).toBe(401);
      expect(response.text).toContain(`(${refusal})`);
      expect(await audited()).toEqual(attributed ? [recordOf(session, refusal)] : []);
      const minute = new Date(Math.floor(deployment.clock.now() / 60_000) * 60_000).toISOString();
      deployment.clock.advance(60_000);
      if (!attributed) expect(await audited()).toEqual([countOf(minute)]);
      const printed = lines.map((line) => JSON.parse(line)).filter(({ audit }) => audit !== undefined);
      const own = printed.filter(({ audit }) => audit !== 'refusals.counted');
      expect(own).toMatchObject([
        { level: WARN, audit: 'session.refresh-refused', class: refusal, clientAddress: ADDRESS },
      ]);
      const traces = JSON.stringify([await audited(), lines, response.text]);
      expect(leaksOf(traces.replaceAll(/"stack(?:Trace)?":"[^"]*"/g, ''), secretsOf(credential))).toEqual([]);
    });

    const recordOf = (session: Opened, refusal: string) => ({
      event: 'session.refresh-refused',
      clientAddress: ADDRESS,
      requestId: 'the-request',
      accountId: account.id,
      tenantId: 'acme',
      details: { class: refusal, reason: expect.any(String), sessionId: session.id },
    });
    const countOf = (minute: string) => ({
      event: 'refusals.counted',
      clientAddress: ADDRESS,
      requestId: '',
      accountId: null,
      tenantId: '',
      details: { kind: 'refresh-token', minute, count: 1 },
    });

    it('records a replay with its age, and the rejected refreshes after it', async () => {
      const session = await open();
      let last = session.credential;
      for (let i = 0; i < 3; i += 1) last = nextOf(await refresh(last));
      expect((await refresh(session.credential)).text).toContain('(replayed)');
      expect((await refresh(last)).text).toContain('(revoked)');
      const rows = await audited();
      expect(rows.map(({ event, details }) => [event, details])).toEqual([
        ['session.refresh-token-replayed', { sessionId: session.id, generationsOld: 3 }],
        ['session.refresh-refused', { class: 'revoked', reason: expect.any(String), sessionId: session.id }],
      ]);
      for (const row of rows) expect(row).toMatchObject({ accountId: account.id, tenantId: 'acme' });
      const printed = lines.map((line) => JSON.parse(line)).filter(({ audit }) => audit !== undefined);
      expect(printed).toMatchObject([
        { level: WARN, audit: 'session.refresh-token-replayed', generationsOld: 3 },
        { level: WARN, audit: 'session.refresh-refused', class: 'revoked' },
      ]);
    });

    it('records one replay if many are sent at once', async () => {
      const session = await open();
      await refresh(session.credential);
      await Promise.all(Array.from({ length: 10 }, () => refresh(session.credential)));
      deployment.clock.advance(60_000);
      const stored = (await audited()).map(({ event, details }) => `${event} ${details.count ?? 0}`);
      expect(stored.toSorted((a, b) => a.localeCompare(b))).toEqual([
        'refusals.counted 4',
        ...Array<string>(5).fill('session.refresh-refused 0'),
        'session.refresh-token-replayed 0',
      ]);
    });

    it('records neither a success nor a missing refresh token', async () => {
      const { credential } = await open();
      expect((await refresh(credential)).status).toBe(200);
      if (profile === 'A') expect((await restClient(deployment.url).refresh(undefined, headers)).status).toBe(401);
      else expect((await tokenClient(gatewayB.url).refresh('', headers)).status).toBe(400);
      expect(await audited()).toEqual([]);
    });
  });

  it('counts refreshes that a policy rejects', async () => {
    const { cookie } = await seedSession(deployment, account);
    const { status } = await restClient(deployment.url).refresh(cookie, { origin: 'https://evil.test' });
    expect(status).toBe(401);
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ audit: 'session.refresh-refused', class: 'policy' }),
    );
    deployment.clock.advance(60_000);
    expect(await audited()).toMatchObject([
      { event: 'refusals.counted', details: { kind: 'refresh-token', count: 1 } },
    ]);
  });
});

/** The secret parts of a credential, which must not be disclosed. */
function secretsOf(credential: string): string[] {
  const parts = credential.split('.').filter((part) => part.length > 9);
  const jti = credential.startsWith('ey') ? [decodeJwt(credential).jti!] : [];
  return [credential, ...parts, ...jti];
}
