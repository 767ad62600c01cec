// kill -9 between an object and its row, in both orders: the cleanup leaves neither without the other, and no acknowledged file
// is lost.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { insertObjects } from '../../src/business/files/file-object-store.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { createObjectStore } from '../../src/platform/files/create-object-store.ts';
import { contentOf } from '../../src/platform/files/uploads.ts';
import { API, callerWith, type Caller } from '../support/callers.ts';
import { namedObjects, pathOf, prepare, stage, storedIn, upload, type FileName } from '../support/shop/files.ts';
import { seedAccount } from '../support/accounts.ts';
import { createTestDatabase, ENGINES, ofThisRun, SERVER_ENGINE, type TestDatabase } from '../support/databases.ts';
import { cleanUpFiles } from '../support/file-cleanup.ts';
import { bearer } from '../support/rest-client.ts';
import { S3_CREDENTIALS, startS3Server, type S3Server } from '../support/s3-server.ts';
import { emptyFolder, endProcesses, SHOP_SETTINGS, startProgram } from '../support/service-process.ts';
import { seedSession } from '../support/sessions.ts';

const REAL_TIME = { now: Date.now, advance: () => {} };
const MINUTE_MS = 60_000;
/** When every reservation has run out, and no staged file. */
const LATER_MS = 20 * MINUTE_MS;
const SWEEP = new URL('../support/sweep-process.ts', import.meta.url);

const FIRST = Buffer.from('0123456789');
const SECOND = Buffer.from('abcdefghij');

let test: TestDatabase;
let s3: S3Server;
/** Where the processes have their temporary files. */
let temporary: string;
beforeEach(async () => {
  s3 = await startS3Server();
  temporary = emptyFolder();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await endProcesses();
  await test.drop();
  await s3.close();
});

const environment = () => ({ ...S3_CREDENTIALS, TMPDIR: temporary });

/** Starts the cleanup of files in a process of its own. */
function startSweep(store: string): ChildProcess {
  const env = { ...process.env, ...environment() };
  return fork(SWEEP, [test.url, store, String(Date.now())], { execArgv: [], env });
}

/** Runs the cleanup of files in this process, at some time from now. */
async function sweep(store: string, inMs: number): Promise<void> {
  for (const [name, value] of Object.entries(environment())) vi.stubEnv(name, value);
  await cleanUpFiles(test.database, store, Date.now() + inMs);
}

/** Starts the service; a caller of it. */
async function startService(store: string) {
  const settings = { 'app.rpc.enabled': 'false', 'app.database.url': test.url, 'app.files.store': store };
  const service = startProgram('gateway', { settings: { ...SHOP_SETTINGS, ...settings }, env: environment() });
  const { http } = await service.ready();
  const account = await seedAccount(test.database);
  const { accessToken } = await seedSession({ ...test, clock: REAL_TIME }, account);
  return { service, http, by: callerWith(http, account, bearer(accessToken)) };
}

/** Sends half of a file and no more. */
function sendHalf(http: string, by: Caller, file: FileName): void {
  const headers = { ...by.headers, 'content-length': FIRST.length };
  const sending = request(http + API + pathOf(file), { method: 'PUT', headers });
  sending.on('error', () => undefined);
  sending.write(FIRST.subarray(0, 5));
}

/** An upload that stands between its object and its row. */
interface Caught {
  /** Lets go of it once the service is dead; comes to the response that the client got, undefined where it got none. */
  release(): Promise<unknown>;
}

/** Sends bytes; comes to what the client got, undefined where the connection broke. */
type Send = (bytes: Buffer) => Promise<unknown>;

/** Where the service keeps objects. */
interface Store {
  readonly url: string;
  /** The paths of uploads under way, of living processes and dead ones. */
  uploads(): string[];
  objects(): Promise<string[]>;
  /** Uploads FIRST and then SECOND, which is caught. */
  catchUpload(send: Send): Promise<Caught>;
}

const pathsIn = (folder: string) => readdirSync(folder).map((name) => join(folder, name));

const STORES = {
  disk(): Store {
    const folder = join(temporary, 'objects');
    const objects = async () => (await storedIn(folder)).objects;
    return {
      url: `disk:${folder}`,
      uploads: () => pathsIn(join(folder, '.uploads')),
      objects,
      async catchUpload(send) {
        // Where the service is faster, once more.
        for (;;) {
          await send(FIRST);
          const response = send(SECOND);
          const reservation = await lockReservation(test.database, response);
          if (reservation === undefined) continue;
          await expect.poll(objects).toContain(reservation.key);
          return { release: () => reservation.release().then(() => response) };
        }
      },
    };
  },
  s3: (): Store => ({
    url: s3.url,
    uploads: () =>
      readdirSync(temporary)
        .filter((name) => name.startsWith('my-shop-uploads-'))
        .flatMap((name) => pathsIn(join(temporary, name))),
    objects: s3.keys,
    async catchUpload(send) {
      await send(FIRST);
      const held = holdRequest('gate', 'PUT');
      const response = send(SECOND);
      await held.arrived;
      return { release: () => (held.breakOff(), response) };
    },
  }),
};

/** Holds requests of a kind to the bucket: before they have an effect, or before they are answered. */
function holdRequest(when: 'entry' | 'gate', method: string) {
  const arrived = Promise.withResolvers<void>();
  const broken = Promise.withResolvers<boolean>();
  s3[when] = (name) => {
    if (!name.startsWith(`${method} `)) return true;
    arrived.resolve();
    return broken.promise;
  };
  const breakOff = () => {
    s3[when] = () => true;
    broken.resolve(false);
  };
  return { arrived: arrived.promise, breakOff };
}

const reservedKeys = async (db: Pick<Database, 'query'>) =>
  (await db.query<{ object_key: Uint8Array }>('SELECT object_key FROM file_objects WHERE doomed = 0')).map((row) =>
    Buffer.from(row.object_key).toString(),
  );

/** Locks the reservation of an object, which its row's transaction begins with; undefined where it came too late. */
async function lockReservation(database: Database, response: Promise<unknown>) {
  let answered = false;
  void response.then(() => {
    answered = true;
  });
  while (!answered && (await reservedKeys(database)).length === 0) await nextTurn();
  const locked = Promise.withResolvers<string | undefined>();
  const dead = Promise.withResolvers<void>();
  const holding = database.transaction(UNLIMITED, async (tx) => {
    await tx.execute('UPDATE file_objects SET free_after = free_after WHERE doomed = 0');
    const [key] = await reservedKeys(tx);
    locked.resolve(key);
    if (key !== undefined) await dead.promise;
  });
  const key = await locked.promise;
  const release = () => {
    dead.resolve();
    return holding;
  };
  return key === undefined ? release().then(() => undefined) : { key, release };
}

const COMBINATIONS = ofThisRun([
  { engine: 'sqlite', kind: 'disk' },
  { engine: SERVER_ENGINE, kind: 'disk' },
  { engine: SERVER_ENGINE, kind: 's3' },
]);

it.each(COMBINATIONS)('kill -9 of the service, on $engine with objects on $kind', async ({ engine, kind }) => {
  test = await createTestDatabase(engine);
  const store = STORES[kind]();
  const { service, http, by } = await startService(store.url);
  const kept = await stage(by, FIRST);
  const replaced = await prepare(by, FIRST.length);
  const deleted = await stage(by, FIRST);
  const torn = await prepare(by, FIRST.length);
  expect((await by.delete(pathOf(deleted))).status).toBe(204);
  sendHalf(http, by, torn);
  await expect.poll(store.uploads).toHaveLength(1);
  const caught = await store.catchUpload((bytes) =>
    upload(by, replaced, bytes).then(
      ({ status }) => status,
      () => undefined,
    ),
  );
  await service.kill();
  expect(await caught.release()).toBeUndefined();

  // The rows of two files, and objects that no file names: one that was about to be, and those of what is gone.
  const { files, loose } = await namedObjects(test);
  expect([files.length, (await reservedKeys(test.database)).length, loose.length >= 2]).toEqual([2, 1, true]);
  expect(await store.objects()).toEqual([...files, ...loose].toSorted());

  const { by: after } = await startService(store.url);
  const read = async (file: FileName) => (await after.get(pathOf(file))).text;
  expect([await read(kept), await read(replaced)]).toEqual([FIRST, FIRST].map(String));
  for (const file of [deleted, torn]) expect((await after.get(pathOf(file))).status).toBe(404);
  expect((await upload(after, replaced, SECOND)).status).toBe(200);
  expect((await upload(after, torn, FIRST)).status).toBe(200);

  for (const path of store.uploads()) utimesSync(path, 0, 0);
  await sweep(store.url, LATER_MS);
  const swept = await namedObjects(test);
  expect([swept.files.length, swept.loose, store.uploads()]).toEqual([3, [], []]);
  expect(await store.objects()).toEqual(swept.files);
  expect([await read(kept), await read(replaced), await read(torn)]).toEqual([FIRST, SECOND, FIRST].map(String));
});

/** An object that no file names any more, and whose time has come. */
async function putDoomed(key: string): Promise<void> {
  Object.assign(process.env, S3_CREDENTIALS);
  const objects = await createObjectStore(s3.url, 'my-shop');
  const path = join(temporary, 'object');
  writeFileSync(path, FIRST);
  await using handle = await open(path);
  await objects.put(key, await contentOf({ path, handle }), UNLIMITED.signal);
  objects.close();
  await insertObjects(test.database, 'acme', [key], { isDoomed: true, freeAfter: 0 });
}

describe.each(ENGINES)('kill -9 of the cleanup, on %s', (engine) => {
  it.each([
    ['before an object is deleted', 'entry', 1],
    ['after an object was deleted, before that is noted', 'gate', 0],
  ] as const)('%s', async (_when, when, left) => {
    test = await createTestDatabase(engine);
    const key = 'acme/ab/0123456789abcdef0123456789abcdef';
    await putDoomed(key);
    const held = holdRequest(when, 'DELETE');
    const sweeping = startSweep(s3.url);
    const ended = once(sweeping, 'exit');
    await held.arrived;
    sweeping.kill('SIGKILL');
    await ended;
    held.breakOff();
    expect([(await namedObjects(test)).loose, (await s3.keys()).length]).toEqual([[key], left]);

    await sweep(s3.url, LATER_MS);
    expect([(await namedObjects(test)).loose, await s3.keys()]).toEqual([[], []]);
  });
});
