// `audit tail` while new records move others to later pages.
import { expect, it } from 'vitest';
import { AUDIT_COMMANDS } from '../../cli/commands/audit.ts';
import { Values } from '../../cli/command.ts';
import type { Core } from '../../cli/core/core.ts';

const PAGE_SIZE = 100;

const record = (number: number) => ({
  id: `record-${number}`,
  at: new Date(number),
  event: 'login.succeeded',
  clientAddress: '192.0.2.1',
  requestId: `${number}`,
  details: '{}',
});

/** A core with 150 records after the first read. One more occurs between the pages. */
function busyCore(): Core {
  let reads = 0;
  const listAuditRecords = async ({ page }: { page: { page: number } }) => {
    reads += 1;
    const newest = [0, 150, 151][reads - 1]!;
    const all = Array.from({ length: newest }, (_, index) => record(newest - index));
    return { records: all.slice((page.page - 1) * PAGE_SIZE, page.page * PAGE_SIZE) };
  };
  return { client: () => ({ listAuditRecords }) as never, close: async () => undefined };
}

it('prints a record once that two pages contain', async () => {
  const ctrlC = new AbortController();
  const printed: string[] = [];
  const tail = AUDIT_COMMANDS.find(({ name }) => name === 'audit tail')!;
  await tail.run({
    values: new Values({ poll: '1s' }, '/'),
    settingFlags: [],
    json: true,
    core: async () => busyCore(),
    terminal: {
      env: {},
      cwd: '/',
      signal: ctrlC.signal,
      callerFolder: '/',
      columns: undefined,
      error: () => undefined,
      ask: async () => undefined,
      readSecret: async () => '',
      startProgress: () => ({ update: () => undefined, stop: () => undefined }),
      out(text) {
        printed.push(JSON.parse(text).id);
        ctrlC.abort();
      },
    },
  });
  expect(printed).toHaveLength(150);
  expect(new Set(printed).size).toBe(150);
});
