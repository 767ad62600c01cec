// Passkeys of test accounts: rows, and passkeys of a software authenticator.
import { randomBytes } from 'node:crypto';
import { insertPasskey, type Passkey } from '../../src/auth/factors/passkey-store.ts';
import type { Account } from '../../src/auth/access/account.ts';
import { newId } from '../../src/platform/db/ids.ts';
import type { Database } from '../../src/platform/db/types.ts';
import type { CallOptions } from '../../src/platform/rpc/types.ts';
import { createAuthenticator, type Authenticator } from './authenticator.ts';
import type { Clients } from './world.ts';

/** The origin of the pages of a service with PASSKEYS. */
export const ORIGIN = 'http://localhost:8080';
/** Settings of a service with passkeys. */
export const PASSKEYS = { 'app.public-url': ORIGIN, 'app.http.host': '127.0.0.1' };

/** Inserts a passkey that no authenticator has. The account is still without a factor. */
export async function seedPasskey(database: Database, { tenantId, id: accountId }: Account): Promise<Passkey> {
  const passkey: Passkey = {
    tenantId,
    accountId,
    id: newId(),
    credentialId: randomBytes(16),
    publicKey: randomBytes(77),
    counter: 0,
    rpId: 'localhost',
    transports: [],
    backupEligible: false,
    backedUp: false,
    createdAt: 1,
    lastUsedAt: undefined,
    label: 'Seeded',
  };
  await insertPasskey(database, passkey);
  return passkey;
}

/** Creates a passkey of the caller. */
export async function addPasskey(
  { factor }: Pick<Clients, 'factor'>,
  as: CallOptions,
  authenticator: Authenticator = createAuthenticator({ origin: ORIGIN }),
) {
  const { options } = await factor.createMyPasskeyOptions({}, as);
  const passkey = JSON.stringify(authenticator.create(JSON.parse(options)));
  const created = await factor.createMyPasskey({ label: 'Phone', passkey }, as);
  return { authenticator, ...created };
}
