// Evidence of a million records: its export and its verification need memory for a part of it only, and a change anywhere in it is
// noticed. test/cli/audit-evidence has further changes of a small file.
import { once } from 'node:events';
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AuditExportFormat } from '../../proto/gen/authservice/audit/v1/audit_service.ts';
import { verifyEvidence } from '../../src/auth/audit/evidence/verify-evidence.ts';
import type { EvidenceProblem } from '../../src/auth/audit/evidence/verify-chain.ts';
import { insertAuditRecords } from '../../src/auth/audit/trail/audit-store.ts';
import { createKeyEncryption } from '../../src/auth/keys/key-encryption.ts';
import { loadSealKey } from '../../src/composition/audit-trail.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/db/ids.ts';
import { operatorEnv, runCli } from '../support/cli.ts';
import { TEST_KEY_ENCRYPTION_KEY } from '../support/key-encryption-key.ts';
import { sealAll } from '../support/seal-all.ts';
import { emptyFolder } from '../support/service-process.ts';
import { openWorld, type World } from '../support/world.ts';

const RECORDS = 1_000_000;
const CHUNK = 1_000;
const MIB = 2 ** 20;
/** The file is several times as large. */
const MAX_GROWTH_MIB = 128;
const HOUR_MS = 3_600_000;
const file = join(emptyFolder(), 'evidence');

let world: World;
let key: Uint8Array;
/** Two records in the middle of the file, one after the other. */
let pair: readonly [string, string];

beforeAll(async () => {
  world = await openWorld({ engine: 'sqlite', transport: 'grpc' });
  const { database, clock } = world.deployment;
  const base = {
    tenantId: 'acme',
    event: 'test.happened',
    username: 'ann',
    clientAddress: '192.0.2.1',
    requestId: '',
    details: { reason: 'because' },
  };
  for (let count = 0; count < RECORDS; count += CHUNK) {
    const records = Array.from({ length: CHUNK }, () => ({ ...base, id: newId(), at: clock.now() }));
    await database.transaction(UNLIMITED, (tx) => insertAuditRecords(tx, records));
    await sealAll(world.deployment);
  }
  const encryption = createKeyEncryption(TEST_KEY_ENCRYPTION_KEY);
  key = await loadSealKey({ database, clock: clock.now, encryption });
}, HOUR_MS);
afterAll(() => world?.close());

const used = () => {
  const { heapUsed, arrayBuffers, external } = process.memoryUsage();
  return (heapUsed + arrayBuffers + external) / MIB;
};
/** Returns by how many MiB the memory in use grows at most. */
async function growth(work: () => Promise<unknown>): Promise<number> {
  global.gc?.();
  const before = used();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, used())), 20);
  await work();
  clearInterval(timer);
  return most - before;
}

it(
  'is exported and verified in bounded memory',
  async () => {
    const { databaseUrl } = world.deployment;
    const until = new Date(world.deployment.clock.now() + HOUR_MS);
    const request = { events: [], until, format: AuditExportFormat.AUDIT_EXPORT_FORMAT_NDJSON };
    const exported = await growth(async () => {
      const output = createWriteStream(file);
      const options = { ...world.admin.as, timeoutMs: HOUR_MS };
      for await (const { content } of world.clients.audit.exportAuditRecords(request, options))
        if (!output.write(content)) await once(output, 'drain');
      output.end();
      await once(output, 'close');
    });
    expect(statSync(file).size / MIB).toBeGreaterThan(2 * MAX_GROWTH_MIB);
    expect(exported).toBeLessThan(MAX_GROWTH_MIB);
    let out = '';
    const verified = await growth(async () => {
      ({ out } = await runCli(['audit', 'verify', '--export', file], { env: operatorEnv(databaseUrl) }));
    });
    expect(out).toBe(`${RECORDS} records verified, 0 without a seal, none is missing, 0 problems\n`);
    expect(verified).toBeLessThan(MAX_GROWTH_MIB);
    const found: string[] = [];
    for await (const line of linesOfFile()) if (found.push(line) > MIDDLE + 1) break;
    pair = [found[MIDDLE]!, found[MIDDLE + 1]!];
  },
  HOUR_MS,
);

/** The line of a record in the middle. */
const MIDDLE = RECORDS / 2;
const linesOfFile = () => createInterface({ input: createReadStream(file), crlfDelay: Infinity });

/** Ends a verification that has found what it should. */
class FoundError extends Error {}

/** Returns whether the verification of a changed file reports a problem of a kind. */
async function reports(kind: EvidenceProblem['kind'], change: Change): Promise<boolean> {
  async function* changed() {
    let index = 0;
    for await (const line of linesOfFile()) yield* change(line, index++);
  }
  const onProblem = (problem: EvidenceProblem) => {
    if (problem.kind === kind) throw new FoundError();
  };
  const verified = verifyEvidence({ lines: changed(), key, onProblem });
  return verified.then(
    () => false,
    (error: unknown) => {
      if (error instanceof FoundError) return true;
      throw error;
    },
  );
}

/** Returns the lines instead of one. */
type Change = (line: string, index: number) => readonly string[];

/** Changes the line of a record in the middle. */
const inMiddle =
  (change: (line: string) => readonly string[]): Change =>
  (line, index) =>
    index === MIDDLE ? change(line) : [line];
const sealOf = (line: string) => /"seal":"[^"]+"/.exec(line)![0];
let seals = 0;

it.each<[string, EvidenceProblem['kind'], Change]>([
  ['a changed value', 'changed', inMiddle((line) => [line.replace('"ann"', '"eve"')])],
  ['a changed detail', 'changed', inMiddle((line) => [line.replace('because', 'why')])],
  ['a record left out', 'removed', inMiddle(() => [])],
  ['a record twice', 'inserted', inMiddle((line) => [line, line])],
  ['an inserted record', 'changed', inMiddle((line) => [line, line.replace(/"id":"[^"]+"/, `"id":"${newId()}"`)])],
  [
    'two records exchanged',
    'inserted',
    (line, index) => (index === MIDDLE ? [pair[1]] : index === MIDDLE + 1 ? [pair[0]] : [line]),
  ],
  ['the seal of another record', 'changed', inMiddle((line) => [line.replace(sealOf(line), sealOf(pair[1]))])],
  ['a seal left out', 'seal-removed', (line) => (line.startsWith('{"sealNumber"') && ++seals === 10 ? [] : [line])],
  ['a changed seal', 'seal-changed', (line) => [line.replace(/^(\{"sealNumber".*"newestAt":)\d/, '$19')]],
  ['the end cut off', 'cut', (line) => (line.startsWith('{"end"') ? [] : [line])],
  ['another period', 'file', (line, index) => [index === 0 ? line.replace(/"until":\d+/, '"until":1') : line]],
])('does not verify with %s', async (_, kind, change) => expect(await reports(kind, change)).toBe(true), HOUR_MS);
