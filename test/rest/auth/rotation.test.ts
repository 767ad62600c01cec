// Rotation, replay and races.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Account } from '../../../src/auth/access/account.ts';
import { createOpaqueRefreshTokens } from '../../../src/auth/session/transport/cookie-transport.ts';
import { seedAccount } from '../../support/accounts.ts';
import { atOnce, untilServed } from '../../support/at-once.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { problem } from '../../support/problems.ts';
import { restClient, sessionOf, type RestResponse, type RestClient } from '../../support/rest-client.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { seedSession } from '../../support/sessions.ts';

const PATH = '/api/v1/auth/refresh';
const REFUSED = problem(401, 'refresh-session-invalid', PATH);

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let deployment: Deployment;
  let rest: RestClient;
  let account: Account;
  const open = () => seedSession(deployment, account);

  beforeAll(async () => {
    deployment = await deploy(kind);
    rest = restClient(deployment.url);
    account = await seedAccount(deployment.database);
  });
  afterAll(() => deployment?.close());

  it('accepts exactly one of 50 parallel refreshes and then revokes the session', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const session = await open();
      const responses = await atOnce(50, () => rest.refresh(session.cookie));
      const winners = responses.filter(({ status }) => status === 200);
      expect(winners).toHaveLength(1);
      for (const response of responses) if (response !== winners[0]) expect(response).toEqual(REFUSED);
      const winner = sessionOf(winners[0]!);
      expect((await rest.refresh(winner.cookie)).status).toBe(401);
      expect((await rest.me(winner.accessToken)).status).toBe(401);
      expect((await rest.me(session.accessToken)).status).toBe(401);
    }
  });

  it('detects a replay of any age, and keeps the other sessions of the user', async () => {
    for (const generation of [29, 15, 1]) {
      const [session, other] = [await open(), await open()];
      const chain = [session.cookie];
      while (chain.length < 30) chain.push(sessionOf(await rest.refresh(chain.at(-1))).cookie);
      const last = sessionOf(await rest.refresh(chain.at(-1)));

      const replayed = await rest.refresh(chain[generation - 1]);
      expect(replayed).toEqual(
        problem(401, 'refresh-session-invalid', PATH, expect.stringContaining(`${31 - generation} generations old`)),
      );
      expect(replayed.cookies).toEqual([]);
      expect(await rest.refresh(last.cookie)).toEqual(REFUSED);
      expect((await rest.me(last.accessToken)).status).toBe(401);
      expect((await rest.me(session.accessToken)).status).toBe(401);
      expect((await rest.me(other.accessToken)).status).toBe(200);
      expect((await rest.refresh(other.cookie)).status).toBe(200);
    }
  });

  it('revokes no session for an unissued verifier', async () => {
    const session = await open();
    const [name, value] = session.cookie.split('=') as [string, string];
    const [selector, generation, verifier, tag] = value.split('.') as [string, string, string, string];
    const foreign = createOpaqueRefreshTokens(Buffer.alloc(32, 9));
    const forged = [
      `${selector}.${generation}.${Buffer.alloc(32, 1).toString('base64url')}.${tag}`,
      `${selector}.${Number(generation) + 1}.${verifier}.${tag}`,
      foreign.issue(1, Buffer.from(selector, 'base64url')).value,
      foreign.issue(1).value,
    ];
    for (const credential of forged) expect(await rest.refresh(`${name}=${credential}`)).toEqual(REFUSED);
    expect((await rest.me(session.accessToken)).status).toBe(200);
    expect((await rest.refresh(session.cookie)).status).toBe(200);
  });

  it('accepts no token after a logout in parallel with a refresh', async () => {
    // By cookie and by token, before and after the refresh.
    const rounds = Array.from({ length: 4 * ROUNDS }, (_, round) => round);
    await inGroups(rounds, 10, async (round) => {
      const session = await open();
      const refresh = () => untilServed(() => rest.refresh(session.cookie));
      const logout = () =>
        untilServed(() =>
          rest.logout(round % 2 === 0 ? { cookie: session.cookie } : { accessToken: session.accessToken }),
        );
      const [refreshed, loggedOut] = (await Promise.all(
        round % 4 < 2 ? [refresh(), logout()] : [logout(), refresh()].toReversed(),
      )) as [RestResponse, RestResponse];
      expect(loggedOut.status).toBe(200);
      expect((await rest.me(session.accessToken)).status).toBe(401);
      expect((await rest.refresh(session.cookie)).status).toBe(401);
      if (refreshed.status !== 200) return expect(refreshed).toEqual(REFUSED);
      const renewed = sessionOf(refreshed);
      expect((await rest.me(renewed.accessToken)).status).toBe(401);
      expect((await rest.refresh(renewed.cookie)).status).toBe(401);
    });
  });

  it('rejects a session as soon as its account is disabled or its tenant is suspended', async () => {
    const own = await seedAccount(deployment.database, { tenantId: `stopped-${kind.transport}` });
    const session = await seedSession(deployment, own);
    const tenant = Buffer.from(own.tenantId!);
    for (const [stop, start, table, key] of [
      ['disabled = 1', 'disabled = 0', 'accounts', 'tenant_id'],
      [`account_expires_at = ${deployment.clock.now()}`, 'account_expires_at = NULL', 'accounts', 'tenant_id'],
      ["status = 'SUSPENDED'", "status = 'ACTIVE'", 'tenants', 'id'],
    ]) {
      await deployment.database.execute(`UPDATE ${table} SET ${stop} WHERE ${key} = ?`, [tenant]);
      expect(await rest.me(session.accessToken)).toEqual(
        problem(401, 'unauthorized', '/api/v1/auth/me', 'Unauthorized - Invalid or expired token'),
      );
      expect(await rest.refresh(session.cookie)).toEqual(REFUSED);
      await deployment.database.execute(`UPDATE ${table} SET ${start} WHERE ${key} = ?`, [tenant]);
    }
    expect((await rest.refresh(session.cookie)).status).toBe(200);
    await deployment.database.execute('DELETE FROM accounts WHERE tenant_id = ?', [tenant]);
    expect(await rest.me(session.accessToken)).toEqual(
      problem(401, 'unauthorized', '/api/v1/auth/me', 'Unauthorized - User not found'),
    );
  });
});

describe.each(DIAGONAL)('reusable mode: $engine over $transport', (kind) => {
  let deployment: Deployment;
  let rest: RestClient;
  let account: Account;

  beforeAll(async () => {
    deployment = await deploy({
      ...kind,
      settings: { 'app.env': 'DEV', 'app.security.refresh-session.rotation-mode': 'reusable' },
    });
    rest = restClient(deployment.url);
    account = await seedAccount(deployment.database);
  });
  afterAll(() => deployment?.close());

  it('accepts all of 50 parallel refreshes', async () => {
    const session = await seedSession(deployment, account);
    const responses = await atOnce(50, () => rest.refresh(session.cookie));
    expect(responses.map(({ status }) => status)).toEqual(Array<number>(50).fill(200));
    const cookies = responses.map((response) => sessionOf(response).cookie);
    expect(cookies.filter((cookie) => cookie !== session.cookie)).toHaveLength(1);
    for (const cookie of new Set(cookies)) expect((await rest.refresh(cookie)).status).toBe(200);
  });

  it('returns an earlier refresh token unchanged, extends its window, and ends with logout', async () => {
    const session = await seedSession(deployment, account);
    const renewed = sessionOf(await rest.refresh(session.cookie));
    deployment.clock.advance(23 * 3600_000);
    expect(sessionOf(await rest.refresh(session.cookie)).cookie).toBe(session.cookie);
    deployment.clock.advance(23 * 3600_000);
    const kept = sessionOf(await rest.refresh(session.cookie));
    expect(kept.cookie).toBe(session.cookie);
    expect((await rest.refresh(renewed.cookie)).status).toBe(200);
    expect((await rest.logout({ cookie: session.cookie })).status).toBe(200);
    expect(await rest.refresh(session.cookie)).toEqual(REFUSED);
    expect((await rest.me(kept.accessToken)).status).toBe(401);
  });
});

async function inGroups<T>(items: readonly T[], size: number, work: (item: T) => Promise<unknown>): Promise<void> {
  for (let start = 0; start < items.length; start += size)
    await Promise.all(items.slice(start, start + size).map(work));
}
