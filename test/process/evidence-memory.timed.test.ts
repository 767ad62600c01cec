// A large export of audit records and its verification need memory for a part of it only.
import { once } from 'node:events';
import { createWriteStream, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { AuditExportFormat } from '../../proto/gen/authservice/audit/v1/audit_service.ts';
import { insertAuditRecords } from '../../src/auth/audit/trail/audit-store.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/db/ids.ts';
import { operatorEnv, runCli } from '../support/cli.ts';
import { sealAll } from '../support/seal-all.ts';
import { emptyFolder } from '../support/service-process.ts';
import { openWorld, type World } from '../support/world.ts';

const RECORDS = 60_000;
const CHUNK = 500;
const MIB = 2 ** 20;
/** The file is several times as large. */
const MAX_GROWTH_MIB = 96;
const DETAILS = { reason: 'x'.repeat(5_000) };

let world: World;
beforeAll(async () => {
  world = await openWorld({ engine: 'sqlite', transport: 'grpc' });
});
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

it('exports and verifies in bounded memory', async () => {
  const { database, clock, databaseUrl } = world.deployment;
  const base = {
    tenantId: 'acme',
    event: 'test.happened',
    clientAddress: '192.0.2.1',
    requestId: '',
    details: DETAILS,
  };
  for (let count = 0; count < RECORDS; count += CHUNK) {
    const records = Array.from({ length: CHUNK }, () => ({ ...base, id: newId(), at: clock.now() }));
    await database.transaction(UNLIMITED, (tx) => insertAuditRecords(tx, records));
  }
  await sealAll(world.deployment);
  const file = join(emptyFolder(), 'evidence');
  const request = { events: [], format: AuditExportFormat.AUDIT_EXPORT_FORMAT_NDJSON };
  const exported = await growth(async () => {
    const output = createWriteStream(file);
    const options = { ...world.admin.as, timeoutMs: 600_000 };
    for await (const { content } of world.clients.audit.exportAuditRecords(request, options))
      if (!output.write(content)) await once(output, 'drain');
    output.end();
    await once(output, 'close');
  });
  expect(statSync(file).size / MIB).toBeGreaterThan(2.5 * MAX_GROWTH_MIB);
  expect(exported).toBeLessThan(MAX_GROWTH_MIB);
  let out = '';
  const verified = await growth(async () => {
    ({ out } = await runCli(['audit', 'verify', '--export', file], { env: operatorEnv(databaseUrl) }));
  });
  expect(out).toMatch(new RegExp(`^${RECORDS} records verified, 0 without a seal, none is missing, 0 problems`));
  expect(verified).toBeLessThan(MAX_GROWTH_MIB);
});
