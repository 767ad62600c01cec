// Rotation, replay and races of refresh tokens.
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/auth/access/account.ts';
import { seedAccount } from '../../support/accounts.ts';
import { atOnce, untilServed } from '../../support/at-once.ts';
import { authError } from '../../support/auth-errors.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import type { RestResponse } from '../../support/rest-client.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { seedTokens } from '../../support/sessions.ts';
import { tokenClient, tokensOf, type TokenClient } from '../../support/token-client.ts';

const PATH = '/api/v1/auth/refresh';
const REFUSED = authError(401, 'AUTH_TOKEN_INVALID', PATH);

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let rest: TokenClient;
  let account: Account;
  const open = () => seedTokens(deployment, account);

  beforeAll(async () => {
    deployment = await deploy({ ...kind, settings: { 'app.security.auth-profile': 'B' } });
    rest = tokenClient(deployment.url);
    account = await seedAccount(deployment.database);
  });
  afterAll(() => deployment?.close());

  it('accepts exactly one of 50 parallel refreshes and then revokes the session', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const session = await open();
      const responses = await atOnce(50, () => rest.refresh(session.refreshToken));
      const winners = responses.filter(({ status }) => status === 200);
      expect(winners).toHaveLength(1);
      for (const response of responses) if (response !== winners[0]) expect(response).toEqual(REFUSED);
      const winner = tokensOf(winners[0]!);
      expect(await rest.refresh(winner.refreshToken)).toEqual(REFUSED);
      for (const { accessToken } of [session, winner]) expect((await rest.me(accessToken)).status).toBe(401);
    }
  });

  it.each([29, 15, 1])(
    "detects the replay of token %i of 30, and keeps the user's other sessions",
    async (generation) => {
      const [session, other] = [await open(), await open()];
      const chain = [session.refreshToken];
      while (chain.length < 30) chain.push(tokensOf(await rest.refresh(chain.at(-1))).refreshToken);
      const last = tokensOf(await rest.refresh(chain.at(-1)));

      const detail = expect.stringContaining(`${31 - generation} generations old`);
      expect(await rest.refresh(chain[generation - 1])).toEqual(authError(401, 'AUTH_TOKEN_INVALID', PATH, detail));
      expect(await rest.refresh(last.refreshToken)).toEqual(REFUSED);
      for (const { accessToken } of [session, last]) expect((await rest.me(accessToken)).status).toBe(401);
      expect((await rest.me(other.accessToken)).status).toBe(200);
      expect((await rest.refresh(other.refreshToken)).status).toBe(200);
    },
  );

  it('accepts no token after a logout in parallel with a refresh', async () => {
    for (let group = 0; group < ROUNDS; group += 1) {
      await Promise.all(
        Array.from({ length: 10 }, async (_, index) => {
          const session = await open();
          const calls = [() => rest.refresh(session.refreshToken), () => rest.logout(session.accessToken)];
          const ordered = index % 2 === 0 ? calls : calls.toReversed();
          const responses = await Promise.all(ordered.map((call) => untilServed(call)));
          const [refreshed, loggedOut] = (index % 2 === 0 ? responses : responses.toReversed()) as [
            RestResponse,
            RestResponse,
          ];
          expect(loggedOut.status).toBe(200);
          expect((await rest.me(session.accessToken)).status).toBe(401);
          expect(await rest.refresh(session.refreshToken)).toEqual(REFUSED);
          if (refreshed.status !== 200) return expect(refreshed).toEqual(REFUSED);
          const renewed = tokensOf(refreshed);
          expect((await rest.me(renewed.accessToken)).status).toBe(401);
          expect(await rest.refresh(renewed.refreshToken)).toEqual(REFUSED);
        }),
      );
    }
  });

  it('rejects a session as soon as its account is disabled or its tenant is suspended', async () => {
    const own = await seedAccount(deployment.database, { tenantId: `stopped-${kind.transport}` });
    const session = await seedTokens(deployment, own);
    const tenant = Buffer.from(own.tenantId!);
    for (const [stop, start, table, key] of [
      ['disabled = 1', 'disabled = 0', 'accounts', 'tenant_id'],
      [`account_expires_at = ${deployment.clock.now()}`, 'account_expires_at = NULL', 'accounts', 'tenant_id'],
      ["status = 'SUSPENDED'", "status = 'ACTIVE'", 'tenants', 'id'],
    ]) {
      await deployment.database.execute(`UPDATE ${table} SET ${stop} WHERE ${key} = ?`, [tenant]);
      expect(await rest.me(session.accessToken)).toEqual(authError(401, 'AUTH_TOKEN_INVALID', '/api/v1/auth/me'));
      const detail = expect.stringContaining('(not eligible)');
      expect(await rest.refresh(session.refreshToken)).toEqual(authError(401, 'AUTH_TOKEN_INVALID', PATH, detail));
      await deployment.database.execute(`UPDATE ${table} SET ${start} WHERE ${key} = ?`, [tenant]);
    }
    const { refreshToken } = tokensOf(await rest.refresh(session.refreshToken));
    await deployment.database.execute('DELETE FROM accounts WHERE tenant_id = ?', [tenant]);
    expect(await rest.me(session.accessToken)).toEqual(authError(401, 'AUTH_TOKEN_INVALID', '/api/v1/auth/me'));
    expect(await rest.refresh(refreshToken)).toEqual(REFUSED);
  });

  it('is strict also with reusable cookies in Profile A', async () => {
    const lenient = await deploy({
      ...kind,
      databaseUrl: deployment.databaseUrl,
      clock: deployment.clock,
      settings: {
        'app.env': 'DEV',
        'app.security.refresh-session.rotation-mode': 'reusable',
        'app.security.auth-profile': 'B',
      },
    });
    try {
      const client = tokenClient(lenient.url);
      const session = await open();
      const next = tokensOf(await client.refresh(session.refreshToken));
      expect(await client.refresh(session.refreshToken)).toEqual(REFUSED);
      expect(await client.refresh(next.refreshToken)).toEqual(REFUSED);
    } finally {
      await lenient.close();
    }
  });

  it('keeps the blacklist entry until the last access token has expired', async () => {
    const session = await open();
    deployment.clock.advance(600_000);
    const next = tokensOf(await rest.refresh(session.refreshToken));
    expect((await rest.logout(session.accessToken)).status).toBe(200);
    const sid = Buffer.from(session.id.replaceAll('-', ''), 'hex');
    const [entry] = await deployment.database.query<{ expires_at: number }>(
      'SELECT expires_at FROM token_blacklist WHERE id = ?',
      [sid],
    );
    expect(entry!.expires_at).toBeGreaterThanOrEqual(decodeJwt(next.accessToken).exp! * 1000);
  });

  it('stores the hash of the verifier, and no token', async () => {
    const { refreshToken } = await open();
    const rows = await deployment.database.query('SELECT * FROM session_families');
    const stored = rows.flatMap((row) => Object.values(row)).map((value) => textOf(value));
    const { jti, sel } = decodeJwt(refreshToken) as { jti: string; sel: string };
    for (const secret of [jti, Buffer.from(jti, 'base64url').toString('latin1'), refreshToken.split('.')[2]!])
      expect(stored.filter((text) => text.includes(secret))).toEqual([]);
    expect(stored).toContain(Buffer.from(sel, 'base64url').toString('latin1'));
  });
});

function textOf(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value);
}
