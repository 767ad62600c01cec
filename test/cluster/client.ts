// Clients that use sessions and record each request for the checker.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { PASSWORD } from '../support/accounts.ts';
import { generationOf } from '../support/outages.ts';
import { sessionOf, type RestResponse, type RestClient } from '../support/rest-client.ts';
import type { History, Operation } from './history.ts';

/** A history that is being recorded. */
export interface Recording extends History {
  readonly sessions: string[];
  readonly operations: Operation[];
}

interface OpenSession {
  readonly id: string;
  accessToken: string;
  cookie: string;
}

const MAX_PAUSE_MS = 60;
const RETRY_PAUSE_MS = 200;
/** How long a service may need to be available again after all faults have ended. */
const FINAL_LIMIT_MS = 60_000;
const LOGOUT_SHARE = 0.06;
const RACE_SHARE = 0.03;
const REFRESH_SHARE = 0.5;

/**
 * Logs in, refreshes, uses and ends sessions until `over` aborts, each request at any service. Then refreshes the last
 * session until it is accepted or refused.
 */
export async function runClient(
  services: readonly RestClient[],
  username: string,
  { sessions, operations }: Recording,
  over: AbortSignal,
): Promise<void> {
  while (!over.aborted) {
    const session = await logIn();
    if (session) await live(session);
  }

  async function logIn(): Promise<OpenSession | undefined> {
    const response = await randomService().login({ username, password: PASSWORD });
    if (outcomeOf(response) === 'unavailable') {
      await sleep(RETRY_PAUSE_MS);
      return undefined;
    }
    const id = randomUUID();
    sessions.push(id);
    return { id, ...sessionOf(response) };
  }

  async function live(session: OpenSession): Promise<void> {
    while (!over.aborted) {
      await sleep(Math.random() * MAX_PAUSE_MS);
      const dice = Math.random();
      if (dice < LOGOUT_SHARE) return logOut(session);
      if (dice < LOGOUT_SHARE + RACE_SHARE) return race(session);
      if (dice < LOGOUT_SHARE + RACE_SHARE + REFRESH_SHARE) await refresh(session);
      else await use(session);
    }
    await finish(session);
  }

  /** Logs out until that is acknowledged, then uses the tokens of the session. */
  async function logOut(session: OpenSession): Promise<void> {
    await repeat(async () => {
      const { outcome } = await record(session, 'logout', randomService(), (service) => service.logout(session));
      // A logout that was answered with 503 may have happened. Then its access token is refused.
      return outcome !== 'unavailable';
    });
    await finish(session);
  }

  /** Presents one token at both services at once. At most one wins, and the session ends. */
  async function race(session: OpenSession): Promise<void> {
    const copy = { ...session };
    await Promise.all([refresh(session, services[0]), refresh(copy, services[1])]);
    await finish(session);
  }

  /** Uses all tokens of a session, until each is accepted or refused. */
  async function finish(session: OpenSession): Promise<void> {
    const isKnown = (outcome: Operation['outcome']) => outcome !== 'unavailable';
    await repeat(() => refresh(session).then(isKnown));
    for (const service of services) await repeat(() => use(session, service).then(isKnown));
  }

  async function refresh(session: OpenSession, service = randomService()): Promise<Operation['outcome']> {
    const { outcome, response } = await record(session, 'refresh', service, () => service.refresh(session.cookie));
    if (outcome === 'accepted') Object.assign(session, sessionOf(response));
    return outcome;
  }

  async function use(session: OpenSession, service = randomService()): Promise<Operation['outcome']> {
    return (await record(session, 'use', service, () => service.me(session.accessToken))).outcome;
  }

  async function record(
    { id, cookie }: OpenSession,
    kind: Operation['kind'],
    service: RestClient,
    send: (service: RestClient) => Promise<RestResponse>,
  ): Promise<{ readonly outcome: Operation['outcome']; readonly response: RestResponse }> {
    const start = performance.now();
    const response = await send(service);
    const end = performance.now();
    const outcome = outcomeOf(response);
    operations.push({ session: id, kind, start, end, outcome, generation: generationOf(cookie) });
    return { outcome, response };
  }

  function randomService(): RestClient {
    return services[Math.floor(Math.random() * services.length)]!;
  }
}

async function repeat(isDone: () => Promise<boolean>): Promise<void> {
  for (const giveUpAt = performance.now() + FINAL_LIMIT_MS; performance.now() < giveUpAt;) {
    if (await isDone()) return;
    await sleep(RETRY_PAUSE_MS);
  }
}

function outcomeOf({ status, text }: RestResponse): Operation['outcome'] {
  if (status === 200 || status === 204) return 'accepted';
  if (status === 401) return 'refused';
  if (status === 503) return 'unavailable';
  throw new Error(`unexpected response ${status}: ${text}`);
}
