// Readers of audit records and a webhook while services are killed and frozen and lose their database: each record exactly once, in one
// order. AUDIT_HISTORIES is the number of runs, by default 1.
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { checkAuditHistory, summaryOf, type AuditHistory } from '../support/audit-history/history.ts';
import { runAuditHistory } from '../support/audit-history/run.ts';
import { DATABASE_FAULTS, SERVICE_FAULTS, startHistoryService } from '../support/audit-history/services.ts';
import { createTestDatabase, ENGINES } from '../support/databases.ts';
import { startMysqlProxy, type MysqlProxy } from '../support/mysql-proxy.ts';
import { endProcesses } from '../support/service-process.ts';

const RUNS = Number(process.env['AUDIT_HISTORIES'] ?? 1);
const proxies: MysqlProxy[] = [];

afterEach(endProcesses);
afterAll(() => Promise.all(proxies.map((proxy) => proxy.close())));

describe.each(ENGINES)('the order of audit records on %s', (engine) => {
  it(
    `has each record exactly once for each reader and the webhook, ${RUNS} times`,
    async () => {
      const { url, database, drop } = await createTestDatabase(engine);
      const start = async () => {
        if (engine === 'sqlite') return startHistoryService(url);
        const proxy = await startMysqlProxy(url);
        proxies.push(proxy);
        return startHistoryService(proxy.url, [proxy]);
      };
      const services = [await start(), await start()];
      const faults = Object.entries({ ...SERVICE_FAULTS, ...(engine !== 'sqlite' && DATABASE_FAULTS) });
      for (let run = 0; run < RUNS; run += 1) {
        const history = await runAuditHistory({
          database,
          services,
          async faults() {
            // Each fault meets each service in turn.
            for (const [index, [, fault]] of faults.entries()) await fault(services[(run + index) % services.length]!);
          },
        });
        console.log(`${engine}, run ${run + 1}: ${summaryOf(history)}`);
        expect(checkAuditHistory(history)).toEqual([]);
      }
      await endProcesses();
      await drop();
    },
    RUNS * 240_000,
  );
});

describe('the check of a history', () => {
  const record = (id: string, tenantId: string | undefined, event = 'a') => ({ id, tenantId, event });
  const right: AuditHistory = {
    stored: [record('1', 'acme'), record('2', undefined, 'b'), record('3', 'acme')],
    committed: ['1', '2'],
    readers: [
      { name: 'all', tenantId: undefined, ids: ['1', '2', '3'], resumptions: 0 },
      { name: 'acme', tenantId: 'acme', ids: ['1', '3'], resumptions: 0 },
    ],
    webhook: {
      events: ['a'],
      deliveries: new Map([
        ['1', new Set(['x'])],
        ['3', new Set(['y'])],
      ]),
    },
  };
  const reading = (...ids: string[]) => ({ readers: [{ ...right.readers[0]!, ids }] });

  it.each<[string, Partial<AuditHistory>, string[]]>([
    ['nothing', {}, []],
    ['a lost record', { committed: ['9'] }, ['record 9 was committed and is lost']],
    ['a missing record', reading('1', '3'), ['all: 1 of 3 records are missing, the first at 1']],
    ['a record that came twice', reading('1', '1', '2', '3'), ['all: 1 records came twice', 'all: the order differs']],
    ['another order', reading('2', '1', '3'), ['all: the order differs']],
    [
      'a record of another tenant',
      { readers: [{ ...right.readers[1]!, ids: ['1', '2', '3'] }] },
      ['acme: 1 records are not its own: 2', 'acme: the order differs'],
    ],
    [
      'missing and repeated deliveries',
      { webhook: { events: ['a'], deliveries: new Map([['1', new Set(['x', 'z'])]]) } },
      ['webhook: record 1 has 2 deliveries', 'webhook: record 3 has 0 deliveries'],
    ],
  ])('finds %s', (_, change, expected) => {
    expect(checkAuditHistory({ ...right, ...change })).toEqual(expected);
  });
});
