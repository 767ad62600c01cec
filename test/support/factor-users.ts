// Users with a second factor of each method, seeded without a request. Their proofs answer challenges that are seeded, too.
import { randomBytes } from 'node:crypto';
import { addFactor } from '../../src/auth/factors/change-factors.ts';
import { insertPasskey } from '../../src/auth/factors/passkey-store.ts';
import { createPasskeyChallenges, type PasskeyContext } from '../../src/auth/factors/passkeys/passkey-challenges.ts';
import { createWebauthn } from '../../src/auth/factors/passkeys/webauthn.ts';
import type { Account } from '../../src/auth/access/account.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { idToBytes, newId } from '../../src/platform/db/ids.ts';
import type { Database } from '../../src/platform/db/types.ts';
import { seedAccount } from './accounts.ts';
import { createAuthenticator, type Authenticator } from './authenticator.ts';
import type { Deployment } from './deployment.ts';
import { seedTotp } from './factors.ts';
import { ORIGIN } from './passkeys.ts';
import type { RestClient } from './rest-client.ts';

type Seeding = Pick<Deployment, 'database' | 'clock'>;

/** A user whose logins need a second factor. */
export interface FactorUser {
  readonly account: Account;
  /** The number of logins that the user can prove at once. */
  readonly logins: number;
  /** Returns the proof of a login. A passkey asks the service for its options. */
  prove(rest: RestClient, challenge: string, login: number): Promise<object>;
  /** Counts the uses of the factor. */
  countUses(database: Database): Promise<number>;
}

const LOGINS = 10;

/** Create a user for each method. */
export const FACTOR_USERS = { totp, 'recovery code': recoveryCode, passkey } as const;

async function totp(at: Seeding): Promise<FactorUser> {
  const { account, code } = await seedTotp(at);
  const used = 'COUNT(*) AS uses FROM account_factors WHERE totp_last_used_at > totp_created_at AND account_id = ?';
  // Only the last use is stored.
  return { account, logins: 1, prove: async () => ({ totp: code() }), countUses: countBy(used, account) };
}

async function recoveryCode(at: Seeding): Promise<FactorUser> {
  const { account, recoveryCodes } = await seedTotp(at);
  const used = 'COUNT(*) AS uses FROM recovery_codes WHERE used_at IS NOT NULL AND account_id = ?';
  const prove = async (_rest: RestClient, _challenge: string, login: number) => ({
    recoveryCode: recoveryCodes[login],
  });
  return { account, logins: LOGINS, prove, countUses: countBy(used, account) };
}

async function passkey(at: Seeding): Promise<FactorUser> {
  const { account, authenticator } = await seedPasskeyOwner(at);
  const prove = async (rest: RestClient, challenge: string) => ({
    passkey: authenticator.get((await rest.postJson(OPTIONS, { challenge })).body.options),
  });
  // Its registration was the first.
  return {
    account,
    logins: LOGINS,
    prove,
    countUses: countBy('counter - 1 AS uses FROM passkeys WHERE account_id = ?', account),
  };
}

const OPTIONS = '/api/v1/auth/second-factor/passkey-options';
const REGISTRATION: PasskeyContext = { purpose: 'registration', boundTo: '' };

/** Creates an account with a passkey of an authenticator, for the origin of the pages. */
export async function seedPasskeyOwner(
  { database, clock }: Seeding,
  origin = ORIGIN,
): Promise<{
  readonly account: Account;
  readonly authenticator: Authenticator;
}> {
  const account = await seedAccount(database);
  const authenticator = createAuthenticator({ origin });
  const challenges = createPasskeyChallenges({ macKey: randomBytes(32), clock: clock.now });
  const { creationOptions, readCreation } = createWebauthn({
    rpId: new URL(origin).hostname,
    rpName: 'my-shop',
    isAllowedOrigin: () => true,
    challenges,
  });
  const { id: accountId, tenantId, username } = account;
  const options = await creationOptions(REGISTRATION, { handle: idToBytes(accountId), username, name: username }, []);
  const response = JSON.stringify(authenticator.create(JSON.parse(options)));
  const created = await readCreation(response, REGISTRATION).verify();
  const now = clock.now();
  await database.transaction(UNLIMITED, async (tx) => {
    const owned = { tenantId, accountId, id: newId(), label: 'Phone', createdAt: now, lastUsedAt: undefined };
    await insertPasskey(tx, { ...created, ...owned });
    await addFactor(tx, account, 'passkey', now);
  });
  return { account, authenticator };
}

function countBy(select: string, { id }: Account): FactorUser['countUses'] {
  return async (database) => (await database.query<{ uses: number }>(`SELECT ${select}`, [idToBytes(id)]))[0]!.uses;
}
