// The states that a credential can be in, and which checks fail there.
import { generateApiKey } from '../../../src/auth/api-key/key-format.ts';
import { newId } from '../../../src/platform/db/ids.ts';
import { expireSecrets } from '../../rest/m2m/clients.ts';
import type { World } from '../../support/world.ts';
import { OF_BEARERS } from './bearer-states.ts';
import { OF_GRANTED } from './granted-states.ts';
import { remove, set, type CredentialCase, type Handed } from './scene.ts';
import { OF_SESSIONS } from './session-states.ts';
import type { State } from './state.ts';

const HOUR_MS = 3600_000;
const ALL = [
  'bearerToken',
  'refreshCookie',
  'refreshToken',
  'apiKey',
  'clientId',
  'username',
  'authorizationCode',
  'applicationRefreshToken',
] as const;
const BY_NAME: readonly CredentialCase[] = ['clientId', 'username'];
// Keys, codes and grants are deleted with their account.
const GO_WITH_ACCOUNT: readonly CredentialCase[] = [
  ...BY_NAME,
  'apiKey',
  'authorizationCode',
  'applicationRefreshToken',
];

const suspend = async ({ deployment }: World, { account }: Handed) =>
  void (await deployment.database.execute("UPDATE tenants SET status = 'SUSPENDED' WHERE id = ?", [
    Buffer.from(account.tenantId!),
  ]));
const ownTenant = () => `tenant-${newId()}`;
/** What can be with every account. */
const OF_ACCOUNTS: readonly State[] = ALL.flatMap((of): State[] => [
  { of, name: 'fresh', failed: [] },
  {
    of,
    name: 'of an account that is still open',
    seed: (now) => ({ accountExpiresAt: now + 1, credentialsExpireAt: now + 1, lockedUntil: now, loginFailedCount: 9 }),
    failed: [],
  },
  { of, name: 'of a disabled account', seed: () => ({ disabled: true }), failed: ['ACCOUNT'], says: /disabled/ },
  {
    of,
    name: 'of an expired account',
    seed: (now) => ({ accountExpiresAt: now }),
    failed: ['ACCOUNT'],
    says: /expired/,
    at: 0,
  },
  {
    of,
    name: 'of a locked account',
    seed: (now) => ({ lockedUntil: now + HOUR_MS, loginFailedCount: 5 }),
    ...(BY_NAME.includes(of) ? { failed: ['ACCOUNT'], says: /locked until \d{4}-/, at: HOUR_MS } : { failed: [] }),
  },
  {
    of,
    name: 'of a suspended tenant',
    seed: () => ({ tenantId: ownTenant() }),
    change: suspend,
    failed: ['TENANT'],
    says: /suspended/,
  },
  {
    of,
    name: 'of a disabled account in a suspended tenant',
    seed: () => ({ tenantId: ownTenant(), disabled: true }),
    change: suspend,
    failed: ['TENANT', 'ACCOUNT'],
  },
  {
    of,
    name: 'of a deleted account',
    change: (world, { account }) => remove(world, 'accounts', 'id', account.id),
    failed: [GO_WITH_ACCOUNT.includes(of) ? 'EXISTENCE' : 'ACCOUNT'],
  },
]);

const OF_KEYS: readonly State[] = [
  {
    of: 'apiKey',
    name: 'revoked',
    change: (world, { account }) =>
      set(world, 'api_keys', 'account_id', account.id, { revoked_at: world.deployment.clock.now() }),
    failed: ['REVOCATION'],
    at: 0,
  },
  {
    of: 'apiKey',
    name: 'expired',
    change: (world, { account }) =>
      set(world, 'api_keys', 'account_id', account.id, { expires_at: world.deployment.clock.now() }),
    failed: ['EXPIRY'],
    at: 0,
  },
  { of: 'apiKey', name: 'unknown', change: async () => generateApiKey().key, failed: ['EXISTENCE'] },
  {
    of: 'apiKey',
    name: 'with a wrong checksum',
    change: async (_world, { value }) => value.slice(0, -6) + 'AAAAAA',
    failed: ['FORM'],
  },
  {
    of: 'apiKey',
    name: 'of a user',
    change: (world, { account }) => set(world, 'accounts', 'id', account.id, { interactive: 1 }),
    failed: ['ACCOUNT'],
  },
];

const OF_NAMES: readonly State[] = [
  ...BY_NAME.map((of): State => ({ of, name: 'too long', change: async () => 'x'.repeat(255), failed: ['FORM'] })),
  ...BY_NAME.map((of): State => ({ of, name: 'unknown', change: async () => newId(), failed: ['EXISTENCE'] })),
  ...BY_NAME.map((of): State => ({
    of,
    name: 'of an account of the other kind, in a suspended tenant',
    seed: () => ({ tenantId: ownTenant(), interactive: of === 'clientId' }),
    change: suspend,
    failed: ['ACCOUNT', 'TENANT'],
  })),
  {
    of: 'clientId',
    name: 'without a secret',
    change: (world, { account }) => remove(world, 'client_secrets', 'account_id', account.id),
    failed: ['EXPIRY'],
    says: /no client secret/,
  },
  {
    of: 'clientId',
    name: 'with an expired secret',
    change: ({ deployment: { database, clock } }, { account }) => expireSecrets(database, account, clock.now()),
    failed: ['EXPIRY'],
    at: 0,
  },
  {
    of: 'clientId',
    name: 'with a secret that ends soon',
    change: ({ deployment: { database, clock } }, { account }) => expireSecrets(database, account, clock.now() + 1),
    failed: [],
  },
  {
    of: 'username',
    name: 'with an expired password',
    seed: (now) => ({ credentialsExpireAt: now }),
    failed: ['EXPIRY'],
    at: 0,
  },
  {
    of: 'username',
    name: 'with a temporary password that has ended',
    seed: (now) => ({ passwordTemporaryUntil: now }),
    failed: ['EXPIRY'],
    at: 0,
    says: /temporary password/,
  },
  {
    of: 'username',
    name: 'without a password',
    change: (world, { account }) => set(world, 'accounts', 'id', account.id, { password_hash: null }),
    failed: ['ACCOUNT'],
    says: /no password/,
  },
];

export const STATES: readonly State[] = [
  ...OF_ACCOUNTS,
  ...OF_BEARERS,
  ...OF_SESSIONS,
  ...OF_KEYS,
  ...OF_NAMES,
  ...OF_GRANTED,
];
