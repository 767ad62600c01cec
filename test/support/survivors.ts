// Clients that use their sessions until the service fails, and the expectations for them after its restart.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { idToBytes } from '../../src/platform/db/ids.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { generationOf } from './outages.ts';
import { sessionOf, type RestResponse, type RestClient } from './rest-client.ts';
import type { SeededSession } from './sessions.ts';

/** The client's view of its session at the end. */
export interface Survivor {
  readonly id: string;
  readonly accessToken: string;
  /** The last cookie that it received. */
  readonly cookie: string;
  /** Whether its logout was acknowledged. */
  readonly loggedOut: boolean;
  /** The request without a response when the service failed. Undefined if there was none. */
  readonly unanswered: 'refresh' | 'logout' | undefined;
}

const LOGOUT_SHARE = 0.1;
const MAX_PAUSE_MS = 40;

/**
 * Refreshes, and at some time logs out, with pauses, until the caller aborts `over` and at that very moment makes the service
 * fail: what is asked for then is answered with 503 or not at all.
 */
export async function liveUntilOutage(rest: RestClient, session: SeededSession, over: AbortSignal): Promise<Survivor> {
  let { accessToken, cookie } = session;
  const end = (loggedOut: boolean, unanswered?: Survivor['unanswered']): Survivor => ({
    id: session.id,
    accessToken,
    cookie,
    loggedOut,
    unanswered,
  });
  for (;;) {
    await sleep(Math.random() * MAX_PAUSE_MS);
    if (over.aborted) return end(false);
    const logout = Math.random() < LOGOUT_SHARE;
    const response = await answered(logout ? rest.logout({ accessToken, cookie }) : rest.refresh(cookie));
    if (!response) return end(false, logout ? 'logout' : 'refresh');
    expect(response.status).toBe(200);
    if (logout) return end(true);
    ({ accessToken, cookie } = sessionOf(response));
  }
}

/** Returns undefined if there was no response, or a 503. */
async function answered(call: Promise<RestResponse>): Promise<RestResponse | undefined> {
  const response = await call.catch(() => undefined);
  return response?.status === 503 ? undefined : response;
}

/** Expects that the state of each session matches the responses that its client received. */
export async function verifySurvivors(
  rest: RestClient,
  database: Database,
  survivors: readonly Survivor[],
): Promise<void> {
  for (const survivor of survivors) {
    const { id, accessToken, cookie, loggedOut, unanswered } = survivor;
    const { generation, revoked, blacklisted } = await stateOf(database, id);
    // Both ends of a session are one transaction.
    expect(blacklisted).toBe(revoked);
    if (loggedOut) expect(revoked).toBe(true);
    else if (unanswered !== 'logout') expect(revoked).toBe(false);
    const given = generationOf(cookie);
    expect(unanswered === 'refresh' ? [given, given + 1] : [given]).toContain(generation);
    expect((await rest.me(accessToken)).status).toBe(revoked ? 401 : 200);
    // Where the service was quicker than its end, the client's cookie is of yesterday: presenting it would be a replay.
    if (revoked || generation === given) expect((await rest.refresh(cookie)).status).toBe(revoked ? 401 : 200);
  }
}

async function stateOf(
  database: Database,
  id: string,
): Promise<{ generation: number; revoked: boolean; blacklisted: boolean }> {
  const [row] = await database.query<{ generation: number; revoked_at: number | null }>(
    'SELECT generation, revoked_at FROM session_families WHERE id = ?',
    [idToBytes(id)],
  );
  const entries = await database.query('SELECT id FROM token_blacklist WHERE id = ?', [idToBytes(id)]);
  return { generation: row!.generation, revoked: row!.revoked_at !== null, blacklisted: entries.length > 0 };
}
