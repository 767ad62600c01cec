// The measured work: the service's own statements, with sessions of a filled database.
import { randomBytes } from 'node:crypto';
import { createAccountStore } from '../../src/auth/identity/account-store.ts';
import { BY_PASSWORD } from '../../src/auth/access/authentication.ts';
import { createRotationStore } from '../../src/auth/session/rotation/rotation-store.ts';
import { selectOpenSessions, selectSessions } from '../../src/auth/session/session-list-store.ts';
import { createSessionStore, SESSIONS_CLEANUP } from '../../src/auth/session/session-store.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/db/ids.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { cleanup, cleanupStats } from '../../src/platform/jobs/cleanup.ts';
import { after, measureCalls, textOf } from './calls.ts';
import {
  ACCESS_TTL_MS,
  accountOf,
  ADDRESS,
  IDLE_WINDOW_MS,
  idOf,
  selectorOf,
  sessionAt,
  tenantOf,
  USER_AGENT,
  type Population,
} from './population.ts';

interface Options {
  readonly population: Population;
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly cleanupSeconds: number;
  readonly print: (line: string) => void;
}

/** One of so many sessions is in use at the busiest time. */
const PER_SESSION_IN_USE = 20;
/** The share that expires from one cleanup to the next. */
const EXPIRED = 0.01;

export async function measure(database: Database, options: Options): Promise<void> {
  const { population, seconds, warmUpSeconds, print } = options;
  const work = createWork(database, population);
  for (const [name, pick] of Object.entries(workingSets(population))) {
    print(name);
    await measureCalls(database, () => work.read(pick()), after(warmUpSeconds));
    const sample = async (label: string, call: (session: number) => Promise<unknown>) =>
      print(`  ${label.padEnd(24)}${textOf(await measureCalls(database, () => call(pick()), after(seconds)))}`);
    await sample('read by refresh token', work.read);
    await sample('account of a bearer', work.checkBearer);
    await sample('rotation', work.rotate);
    await sample('new session', work.open);
  }
  await measureCleanup(database, work, options);
  await measureLists(database, population, print);
}

/** Functions that return the number of a random session. */
function workingSets(population: Population): Readonly<Record<string, () => number>> {
  const { sessions } = population;
  const below = (count: number) => Math.floor(Math.random() * count);
  const inUse = Math.floor(sessions / PER_SESSION_IN_USE);
  return {
    'all sessions': () => 1 + below(sessions),
    '5 % of the sessions, spread over all pages': () => sessionAt(below(inUse) * PER_SESSION_IN_USE, population),
    '5 % of the sessions, the newest of each tenant': () => sessions - below(inUse),
  };
}

type Work = ReturnType<typeof createWork>;

function createWork(database: Database, population: Population) {
  const store = createSessionStore(database);
  const rotations = createRotationStore(database, store);
  const accounts = createAccountStore(database);
  const batch = newId();
  const ownerOf = (session: number) => ({
    tenantId: tenantOf(session, population),
    id: idOf(accountOf(session, population)),
  });
  return {
    read: (session: number) => store.findBySelector(selectorOf(session)),

    async checkBearer(session: number) {
      const { account } = await accounts.findByToken(ownerOf(session), [idOf(session)]);
      if (!account) throw new Error(`the account of session ${session} is missing`);
    },

    /** Does nothing if the cleanup has deleted the session. */
    async rotate(number: number) {
      const session = await store.findBySelector(selectorOf(number));
      if (!session) return;
      const { selector, generation } = session;
      const next = { selector, generation: generation + 1, verifierHash: randomBytes(32) };
      const now = Date.now();
      const times = { now, expiresAt: now + IDLE_WINDOW_MS, accessExpiresAt: now + ACCESS_TTL_MS };
      await rotations.advance(session, next, { ...times, origin: undefined, batch }, UNLIMITED);
    },

    async open(number: number) {
      const { tenantId, id: accountId } = ownerOf(number);
      const now = Date.now();
      const session = {
        id: newId(),
        tenantId,
        accountId,
        selector: randomBytes(16),
        verifierHash: randomBytes(32),
        generation: 1,
        transport: 'COOKIE' as const,
        rotationBatch: undefined,
        origin: undefined,
        rememberMe: true,
        createdAt: now,
        refreshedAt: now,
        expiresAt: now + IDLE_WINDOW_MS,
        absoluteExpiresAt: undefined,
        accessExpiresAt: now + ACCESS_TTL_MS,
        revokedAt: undefined,
        authTime: now,
        methods: BY_PASSWORD,
      };
      const client = { address: ADDRESS, userAgent: USER_AGENT };
      await database.transaction(UNLIMITED, (tx) => store.insert(tx, session, client, UNLIMITED));
    },
  };
}

// A later clock lets sessions expire.
async function measureCleanup(database: Database, { rotate }: Work, options: Options): Promise<void> {
  const { population, seconds, cleanupSeconds, print } = options;
  const clockAfter = (runs: number) => () => population.now + runs * EXPIRED * IDLE_WINDOW_MS;
  const run = async (runs: number) => {
    const began = performance.now();
    const signal = AbortSignal.timeout(cleanupSeconds * 1000);
    const count = await cleanup({ database, clock: clockAfter(runs), targets: [SESSIONS_CLEANUP], signal });
    const elapsed = (performance.now() - began) / 1000;
    return `${count} rows in ${elapsed.toFixed(1)} s, ${(count! / elapsed).toFixed(0)} per second`;
  };
  const pick = () => 1 + Math.floor(Math.random() * population.sessions);
  const rotateRandom = () => rotate(pick());

  print('cleanup of expired sessions, 1 % of all');
  const alone = await measureCalls(database, rotateRandom, after(seconds));
  print(`  rotations without it    ${textOf(alone)}`);
  print(`  cleanup alone: ${await run(1).catch(messageOf)}`);
  let isOver = false;
  const running = run(2)
    .catch(messageOf)
    .finally(() => (isOver = true));
  const beside = await measureCalls(database, rotateRandom, () => isOver);
  print(`  cleanup beside rotations: ${await running}`);
  print(`  rotations beside it     ${textOf(beside)}`);
  await printTime(print, 'backlog for the metrics, 1 % expired', () =>
    cleanupStats({ database, clock: clockAfter(3), targets: [SESSIONS_CLEANUP] }),
  );
}

async function measureLists(database: Database, population: Population, print: Options['print']): Promise<void> {
  const number = 1 + Math.floor(Math.random() * population.sessions);
  const tenantId = tenantOf(number, population);
  const account = { tenantId, id: idOf(accountOf(number, population)) };
  const page = { page: 1, perPage: 20, offset: 0, after: undefined, reader: { deadline: UNLIMITED, tenantId } };
  const ofTenant = { scope: { everyTenant: false as const, tenantId }, accountId: undefined };
  const ofAll = { scope: { everyTenant: true as const }, accountId: undefined };
  const { now } = population;
  // The first list loads the SQL builder.
  await selectOpenSessions(database, { tenantId, id: newId() }, now, page).catch(messageOf);
  print('first page of a list');
  await printTime(print, 'sessions of an account', () => selectOpenSessions(database, account, now, page));
  await printTime(print, 'sessions of a tenant', () => selectSessions(database, ofTenant, now, page));
  await printTime(print, 'sessions of all tenants', () => selectSessions(database, ofAll, now, page));
}

async function printTime(print: Options['print'], name: string, work: () => Promise<unknown>): Promise<void> {
  const began = performance.now();
  const failure = await work().then(() => undefined, messageOf);
  print(`  ${name}: ${(performance.now() - began).toFixed(0)} ms${failure === undefined ? '' : `, ${failure}`}`);
}

function messageOf(error: Error): string {
  return error.message;
}
