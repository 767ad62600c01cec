import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAuditLog } from '../../src/auth/audit/trail/audit-log.ts';
import { NO_REFUSALS } from '../../src/composition/local-operator.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { createLogger } from '../../src/platform/process/log.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';

const NOW = Date.UTC(2026, 0, 1);

let own: TestDatabase;
beforeAll(async () => {
  own = await createTestDatabase('sqlite');
});
afterAll(() => own?.drop());

it.each(['warn', 'error', 'fatal', 'silent'] as const)(
  'prints failed logins and account locks at the log level %s',
  async (level) => {
    const lines: { audit: string; level: string; username: string; requestId: string }[] = [];
    const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
    const log = createLogger({ level, format: 'json', name: 'service', destination }).child({ requestId: 'r' });
    const context = { requestId: 'r', clientAddress: '127.0.0.1', deadline: UNLIMITED, log };
    await createAuditLog(own.database, () => NOW, NO_REFUSALS).commit(context, async (_tx, record) => {
      for (const event of ['login.failed', 'account.locked', 'login.succeeded'] as const)
        record({ event, tenantId: 'acme', username: 'alice' });
    });
    expect(lines.map(({ audit, ...line }) => [audit, line.level, line.username, line.requestId])).toEqual([
      ['login.failed', 'warn', 'alice', 'r'],
      ['account.locked', 'warn', 'alice', 'r'],
    ]);
  },
);
