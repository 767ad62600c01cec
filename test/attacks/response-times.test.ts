// Under minimal disclosure, response times do not tell which usernames, client ids and credentials exist: 400 interleaved
// requests of each kind on a normal disk, 200 on a slow one. A new endpoint or kind of subject is one line of ENDPOINTS.
//
// A leak fails each time: one commit more on a slow disk is |z| = 10. A false alarm is rare: equal kinds reach |z| = 3 in 1
// of 370 measurements, and a second, independent measurement must then show the same. With 80 comparisons, that is 1 run of
// 9,000.
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { slowDiskEnvironment } from '../../bench/slow-disk-library.ts';
import { ENGINES } from '../support/databases.ts';
import { emptyFolder, endProcesses, SHOP_SETTINGS, startProgram } from '../support/service-process.ts';
import { findLeaks, openConnection, type TimedRequest } from './timing/measure.ts';
import { createSlowDatabase, createUsualDatabase, type MeasuredDatabase } from './timing/measured-database.ts';
import { SECRET, seedSubjects, type Presented, type SubjectKind } from './timing/subjects.ts';

/** On a slow disk, fewer rounds show a commit. */
const ROUNDS = { normal: 400, slow: 200 };
const WARM_UP_ROUNDS = 40;
const PRELOADED = ['quick-argon2', 'fixed-ends'].map(
  (name) => `--import=${fileURLToPath(new URL(`timing/${name}.ts`, import.meta.url))}`,
);
const SLOW_FSYNC_MS = 3;
/** The measured process leaves out the random part of the end, which hides such differences. */
const HIDDEN_MS = 0.02;

interface Endpoint {
  readonly request: (presented: string) => TimedRequest;
  /** All others must look like the first one. */
  readonly kinds: readonly [SubjectKind, SubjectKind, ...SubjectKind[]];
}

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

const login = (username: string) =>
  post('/api/v1/auth/login', JSON_TYPE, JSON.stringify({ username, password: 'wrong' }));
const asClient = (path: string, fields: Readonly<Record<string, string>>) => (client_id: string) =>
  post(path, FORM_TYPE, new URLSearchParams({ ...fields, client_id, client_secret: SECRET }).toString());
const withKey = (key: string): TimedRequest => ({
  method: 'GET',
  path: '/api/v1/auth/me',
  headers: { 'x-api-key': key },
});
const refresh = (cookie: string): TimedRequest => ({
  method: 'POST',
  path: '/api/v1/auth/refresh',
  headers: { cookie },
});

const token = asClient('/api/v1/auth/token', { grant_type: 'client_credentials' });
const introspect = asClient('/api/v1/auth/introspect', { token: 'x' });
const revoke = asClient('/api/v1/auth/revoke', { token: 'x' });

/** Measured one after the other, because they use the processor or the disk. */
const BUSY: Readonly<Record<string, Endpoint>> = {
  login: {
    request: login,
    kinds: ['unknown', 'user', 'active user', 'locked user', 'disabled user', 'expired user', 'service account'],
  },
};

/** Measured at the same time, because nearly all of their time is waiting. */
const WAITING: Readonly<Record<string, Endpoint>> = {
  token: {
    request: token,
    kinds: ['unknown', 'user', 'locked user', 'client', 'client with an expired secret', 'disabled client'],
  },
  introspect: { request: introspect, kinds: ['unknown', 'user', 'client', 'disabled client'] },
  revoke: { request: revoke, kinds: ['unknown', 'user', 'client', 'disabled client'] },
  'refresh with a forged token': { request: refresh, kinds: ['forged cookie', 'forged cookie of a session'] },
  'refresh with an issued token': {
    request: refresh,
    kinds: ['revoked session', 'session of a disabled user', 'revoked session of a disabled user'],
  },
  'API key': { request: withKey, kinds: ['unknown key', 'revoked key', 'expired key', 'key of a disabled account'] },
};

const DISKS = [
  {
    disk: 'a normal disk',
    rounds: ROUNDS.normal,
    createDatabase: createUsualDatabase,
    slower: (): Record<string, string> => ({}),
  },
  {
    disk: `a disk whose fsync takes ${SLOW_FSYNC_MS} ms longer`,
    rounds: ROUNDS.slow,
    createDatabase: createSlowDatabase,
    slower: () => slowDiskEnvironment(emptyFolder(), SLOW_FSYNC_MS),
  },
];

describe.each(ENGINES.flatMap((engine) => DISKS.map((each) => ({ engine, ...each }))))(
  '$engine on $disk takes as long to refuse each kind of subject',
  ({ engine, rounds, createDatabase, slower }) => {
    let own: MeasuredDatabase;
    let subjects: Record<SubjectKind, Presented>;
    let url: string;
    beforeAll(async () => {
      const env = slower();
      own = await createDatabase(engine, env);
      subjects = await seedSubjects(own.database, WARM_UP_ROUNDS + 2 * rounds);
      await own.seeded();
      const service = startProgram('gateway', {
        settings: {
          ...SHOP_SETTINGS,
          'app.api.error-disclosure.mode': 'minimal',
          'app.database.url': own.url,
          'app.security.api-key.enabled': 'true',
          'app.security.login.rate-limit.points': '1000000',
          'app.security.m2m.rate-limit.points': '1000000',
        },
        env: { ...env, NODE_OPTIONS: PRELOADED.join(' ') },
      });
      url = (await service.ready()).http;
    });
    afterAll(async () => {
      await endProcesses();
      await own?.drop();
    });

    it.for(Object.entries(BUSY))('%s', ([, endpoint], { expect }) => expect(leaksOf(endpoint)).resolves.toEqual([]));
    it.concurrent.for(Object.entries(WAITING))('%s', ([, endpoint], { expect }) =>
      expect(leaksOf(endpoint)).resolves.toEqual([]),
    );

    async function leaksOf({ request, kinds }: Endpoint): Promise<string[]> {
      const connection = openConnection(url);
      try {
        return await findLeaks(kinds, { warmUpRounds: WARM_UP_ROUNDS, rounds, smallestMs: HIDDEN_MS }, (kind, round) =>
          connection.send(request(subjects[kind][round]!)),
        );
      } finally {
        connection.close();
      }
    }
  },
);

function post(path: string, type: string, body: string): TimedRequest {
  return { method: 'POST', path, headers: { 'content-type': type }, body };
}
