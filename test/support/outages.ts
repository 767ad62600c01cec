// Expectations for responses while the service cannot reach its database.
import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { Account } from '../../src/auth/access/account.ts';
import { PASSWORD } from './accounts.ts';
import { problem } from './problems.ts';
import { bearer, type RestResponse, type RestClient } from './rest-client.ts';
import type { SeededSession } from './sessions.ts';

const ANSWER_LIMIT_MS = 5_000;

export interface TimedResponse {
  readonly response: RestResponse;
  /** Without the time in which this thread waited for a processor: the limits are those of an idle machine. */
  readonly ms: number;
}

export async function timed(call: () => Promise<RestResponse>): Promise<TimedResponse> {
  const [asked, waited] = [performance.now(), waitedForProcessorMs()];
  const response = await call();
  return { response, ms: performance.now() - asked - (waitedForProcessorMs() - waited) };
}

const SCHEDULED = '/proc/thread-self/schedstat';

/**
 * Returns how long this thread could run while others had the processors; 0 if the kernel does not count it. Unlike a late timer, it
 * contains neither computing nor waiting of this thread.
 */
function waitedForProcessorMs(): number {
  return existsSync(SCHEDULED) ? Number(readFileSync(SCHEDULED, 'utf8').split(' ')[1]) / 1e6 : 0;
}

/** Expects a 503 within the timeout, with Retry-After, that neither sets nor clears a cookie. */
export function expectOutage({ response, ms }: TimedResponse, endpoint: string): void {
  expect(response).toEqual(problem(503, 'authentication-service-unavailable', `/api/v1/auth/${endpoint}`));
  expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expect(response.cookies).toEqual([]);
  expect(ms).toBeLessThan(ANSWER_LIMIT_MS);
}

/** Calls all endpoints in parallel and expects the 503 of an outage from each. */
export async function expectOutageEverywhere(
  rest: RestClient,
  session: SeededSession,
  { username }: Account,
): Promise<void> {
  const calls = {
    login: () => rest.login({ username, password: PASSWORD }),
    refresh: () => rest.refresh(session.cookie),
    me: () => rest.me(session.accessToken),
    logout: () => rest.logout(session),
    verify: () => rest.send('GET', '/api/v1/auth/verify', { headers: bearer(session.accessToken) }),
  };
  const responses = await Promise.all(Object.values(calls).map((call) => timed(call)));
  for (const [index, endpoint] of Object.keys(calls).entries()) expectOutage(responses[index]!, endpoint);
}

/** Returns the generation in a refresh cookie. */
export function generationOf(cookie: string): number {
  return Number(cookie.split('.')[1]);
}
