// Challenges of logins without a login, stored by the core's modules.
import { newChallenge } from '../../src/auth/factors/challenge.ts';
import { createChallengeStore } from '../../src/auth/factors/challenge-store.ts';
import type { Account } from '../../src/auth/access/account.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { idToBytes } from '../../src/platform/db/ids.ts';
import type { Database } from '../../src/platform/db/types.ts';
import type { Deployment } from './deployment.ts';

/** Creates a challenge for an account with a factor, as a login under Profile A without a browser does. Returns its text. */
export async function seedChallenge(
  { database, clock }: Pick<Deployment, 'database' | 'clock'>,
  { id: accountId, tenantId }: Account,
): Promise<string> {
  const { text, ...created } = newChallenge(clock.now());
  const sql = 'SELECT factors_version AS version FROM accounts WHERE id = ?';
  const [row] = await database.query<{ version: number }>(sql, [idToBytes(accountId)]);
  const terms = { kind: 'factor', transport: 'COOKIE', origin: undefined, rememberMe: false } as const;
  const challenge = { ...created, ...terms, tenantId, accountId, factorsVersion: row!.version, tries: 0 };
  await database.transaction(UNLIMITED, (tx) => createChallengeStore(database).insert(tx, challenge, UNLIMITED));
  return text;
}

/** The rows that each completed login leaves: a used challenge and a session. */
export interface LoginTraces {
  readonly challenges: number;
  readonly sessions: number;
}

/** Counts the traces of the completed logins of an account. */
export async function loginTracesOf(database: Database, { id }: Pick<Account, 'id'>): Promise<LoginTraces> {
  const count = async (rows: string) => {
    const sql = `SELECT COUNT(*) AS count FROM ${rows} AND account_id = ?`;
    return (await database.query<{ count: number }>(sql, [idToBytes(id)]))[0]!.count;
  };
  return {
    challenges: await count('login_challenges WHERE used_at IS NOT NULL'),
    sessions: await count('session_families WHERE 1 = 1'),
  };
}
