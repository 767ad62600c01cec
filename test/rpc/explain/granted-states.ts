// The states of codes and refresh tokens of applications.
import { randomBytes } from 'node:crypto';
import type { World } from '../../support/world.ts';
import { USE, remove, set, type Handed } from './scene.ts';
import { logOut, type State } from './state.ts';

const KINDS = ['authorizationCode', 'applicationRefreshToken'] as const;
type Kind = (typeof KINDS)[number];

const TABLES: Readonly<Record<Kind, string>> = {
  authorizationCode: 'authorization_codes',
  applicationRefreshToken: 'grants',
};

/** Changes the application of a code or a grant. */
const onApplication =
  (of: Kind, change: string) =>
  async ({ deployment }: World, { account: { id } }: Handed): Promise<void> => {
    const owned = `IN (SELECT application_id FROM ${TABLES[of]} WHERE account_id = ?)`;
    await deployment.database.execute(change.replace('OWNED', owned), [Buffer.from(id.replaceAll('-', ''), 'hex')]);
  };
const withColumns =
  (of: Kind, columns: (now: number) => Record<string, number | string>) =>
  (world: World, { account }: Handed) =>
    set(world, TABLES[of], 'account_id', account.id, columns(world.deployment.clock.now()));

const OF_BOTH: readonly State[] = KINDS.flatMap((of): State[] => [
  { of, name: 'garbage', change: async () => 'garbage', failed: ['FORM'] },
  { of, name: 'of a session that was logged out', change: logOut, failed: ['SESSION'], says: /by a logout/, at: 0 },
  {
    of,
    name: 'of a session that is gone',
    change: (world, { sessionId }) => remove(world, 'session_families', 'id', sessionId),
    failed: ['SESSION'],
    says: /has expired/,
  },
  {
    of,
    name: 'of an account whose sessions were ended',
    change: async ({ clients, root }, { account }) =>
      void (await clients.session.revokeUserSessions({ userId: account.id }, root.as)),
    failed: ['SESSION'],
    says: /by its owner or an administrator/,
    at: 0,
  },
  {
    of,
    name: 'of a disabled application',
    change: onApplication(of, 'UPDATE applications SET disabled = 1 WHERE id OWNED'),
    failed: ['APPLICATION'],
    says: /^[\w-]+: the application is disabled$/,
  },
  {
    of,
    name: 'of an application that was deleted',
    change: onApplication(of, 'DELETE FROM applications WHERE id OWNED'),
    failed: ['APPLICATION'],
    says: /deleted/,
  },
  {
    of,
    name: 'of an application that requires a permission',
    change: onApplication(of, "UPDATE applications SET required_permission = 'wiki:read' WHERE id OWNED"),
    failed: ['APPLICATION'],
    says: /lacks wiki:read/,
  },
]);

export const OF_GRANTED: readonly State[] = [
  ...OF_BOTH,
  {
    of: 'authorizationCode',
    name: 'unknown',
    change: async () => randomBytes(32).toString('base64url'),
    failed: ['EXISTENCE'],
  },
  {
    of: 'authorizationCode',
    name: 'that was used',
    change: async (world, { value }) => void (await USE.authorizationCode(world, value, '')),
    failed: ['SINGLE_USE'],
    says: /another use would revoke the grant/,
    at: 0,
  },
  {
    of: 'authorizationCode',
    name: 'that is late',
    change: withColumns('authorizationCode', (now) => ({ expires_at: now })),
    failed: ['EXPIRY'],
    at: 0,
  },
  {
    of: 'authorizationCode',
    name: 'for a URI that its application no longer has',
    change: withColumns('authorizationCode', () => ({ redirect_uri: 'https://old.example.com/' })),
    failed: ['APPLICATION'],
    says: /no longer has the redirect URI/,
  },
  {
    of: 'applicationRefreshToken',
    name: 'with a wrong MAC',
    change: async (_world, { value }) => `${value.slice(0, -43)}${'A'.repeat(43)}`,
    failed: ['FORM'],
  },
  {
    of: 'applicationRefreshToken',
    name: 'of a session that was logged out, offline',
    async change(world, handed) {
      await set(world, 'grants', 'account_id', handed.account.id, { offline: 1 });
      await logOut(world, handed);
    },
    failed: [],
  },
  {
    of: 'applicationRefreshToken',
    name: 'of a revoked grant',
    change: withColumns('applicationRefreshToken', (now) => ({ revoked_at: now, revoked_reason: 'too-many' })),
    failed: ['REVOCATION'],
    says: /at most 20/,
    at: 0,
  },
  {
    of: 'applicationRefreshToken',
    name: 'beyond its idle time',
    change: withColumns('applicationRefreshToken', (now) => ({ idle_expires_at: now })),
    failed: ['EXPIRY'],
    at: 0,
  },
  {
    of: 'applicationRefreshToken',
    name: 'one generation behind',
    change: withColumns('applicationRefreshToken', (now) => ({ generation: 2, rotated_at: now })),
    failed: [],
  },
  {
    of: 'applicationRefreshToken',
    name: 'two generations behind, long after the rotation',
    change: withColumns('applicationRefreshToken', (now) => ({ generation: 3, rotated_at: now - 30_001 })),
    failed: ['GENERATION'],
    says: /^generation 1 was presented while 3 is current: a replay, which would revoke the grant$/,
  },
  {
    of: 'applicationRefreshToken',
    name: 'replayed before',
    async change(world, handed) {
      await withColumns('applicationRefreshToken', (now) => ({ generation: 9, rotated_at: now }))(world, handed);
      await USE.applicationRefreshToken(world, handed.value, '');
    },
    failed: ['REVOCATION', 'GENERATION'],
    says: /by the replay/,
    at: 0,
  },
];
