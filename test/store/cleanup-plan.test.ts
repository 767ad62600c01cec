// The statements of the cleanup on SQLite, where a statement blocks the process.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ORDER_IDEMPOTENCY_KEYS_CLEANUP } from '../../src/business/orders/idempotency-key-store.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { LOGIN_DECOYS_CLEANUP } from '../../src/auth/identity/authentication/account-lock.ts';
import { backgroundOf, type BackgroundDatabase } from '../../src/platform/jobs/background.ts';
import { backlogOf, deleteExpired } from '../../src/platform/jobs/expired-rows.ts';
import { RATE_LIMITS_CLEANUP } from '../../src/platform/limits/rate-limit-store.ts';
import { SESSIONS_CLEANUP } from '../../src/auth/session/session-store.ts';
import { SETTLED_ROTATIONS_CLEANUP } from '../../src/auth/session/rotation/settled-rotation-store.ts';
import { BLACKLIST_CLEANUP } from '../../src/auth/token/blacklist.ts';
import { SIGNING_KEYS_CLEANUPS } from '../../src/auth/keys/key-store.ts';
import { REQUESTS_CLEANUP } from '../../src/auth/oauth/authorize/request-store.ts';
import { CODES_CLEANUP } from '../../src/auth/oauth/codes/code-store.ts';
import { GRANTS_CLEANUP } from '../../src/auth/oauth/grants/grant-store.ts';
import { CLIENT_ASSERTIONS_CLEANUP } from '../../src/auth/oauth/tokens/client-assertion-store.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';

const TARGETS = [
  BLACKLIST_CLEANUP,
  CLIENT_ASSERTIONS_CLEANUP,
  CODES_CLEANUP,
  GRANTS_CLEANUP,
  LOGIN_DECOYS_CLEANUP,
  ORDER_IDEMPOTENCY_KEYS_CLEANUP,
  RATE_LIMITS_CLEANUP,
  REQUESTS_CLEANUP,
  SESSIONS_CLEANUP,
  SETTLED_ROTATIONS_CLEANUP,
  ...SIGNING_KEYS_CLEANUPS,
].flatMap((target) => target.expiresAt.map((column) => ({ table: target.table, column, target })));

describe('a batch of the cleanup on SQLite', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase('sqlite');
  });
  afterAll(() => test.drop());

  it.each(TARGETS)('finds rows of $table by the index on $column, without sorting', async ({ target, column }) => {
    const plan: string[] = [];
    const explaining: BackgroundDatabase = {
      ...backgroundOf(test.database),
      async execute(sql, values) {
        const steps = await test.database.query<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, values);
        plan.push(...steps.map(({ detail }) => detail));
        return 0;
      },
    };
    await deleteExpired(explaining, target, column, { now: 1_000_000, size: 25 });
    expect(plan).toContainEqual(expect.stringMatching(new RegExp(`INDEX \\S+ \\(${column}<\\?\\)`)));
    expect(plan).not.toContainEqual(expect.stringContaining('TEMP B-TREE'));
  });

  it.each(TARGETS)('counts rows of $table in the index on $column alone', async ({ target, column }) => {
    const plan: string[] = [];
    const explaining: Database = {
      ...test.database,
      async query<R>(sql: string, values?: Parameters<Database['query']>[1]) {
        const steps = await test.database.query<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, values);
        plan.push(...steps.map(({ detail }) => detail));
        return [{ expired: 0, oldest: null }] as R[];
      },
    };
    await backlogOf(explaining, { ...target, expiresAt: [column] }, 1_000_000);
    expect(plan).toContainEqual(expect.stringMatching(new RegExp(`COVERING INDEX \\S+ \\(${column}<\\?\\)`)));
    expect(plan).not.toContainEqual(expect.stringContaining('TEMP B-TREE'));
  });
});
