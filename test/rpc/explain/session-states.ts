import { RefreshTokenTransport } from '../../../proto/gen/authservice/session/v1/session_service.ts';
import type { World } from '../../support/world.ts';
import { HAND_OUT, oldRefreshToken, refresh, remove, set, type Handed } from './scene.ts';
import { logOut, type State } from './state.ts';

const REFRESH = [
  { of: 'refreshCookie', form: RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_COOKIE },
  { of: 'refreshToken', form: RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_BODY },
] as const;

const OF_BOTH: readonly State[] = REFRESH.flatMap(({ of, form }): State[] => {
  const withColumns = (columns: (now: number) => Record<string, number | Buffer>) => (world: World, handed: Handed) =>
    set(world, 'session_families', 'id', handed.sessionId, columns(world.deployment.clock.now()));
  return [
    { of, name: 'garbage', change: async () => 'garbage', failed: ['FORM'] },
    {
      of,
      name: 'of the other form',
      change: async (world) =>
        (await HAND_OUT[of === 'refreshCookie' ? 'refreshToken' : 'refreshCookie'](world, {})).value,
      failed: ['FORM'],
    },
    {
      of,
      name: 'of a session that is gone',
      change: (world, { sessionId }) => remove(world, 'session_families', 'id', sessionId),
      failed: ['EXISTENCE'],
    },
    {
      of,
      name: 'one generation behind',
      change: async (world, { value }) => void (await refresh(world, value, form)),
      failed: ['GENERATION'],
      says: /^generation 1 was presented while 2 is current: a replay, which would revoke the session$/,
    },
    {
      of,
      name: 'replayed before',
      async change(world, { value }) {
        await refresh(world, value, form);
        await refresh(world, value, form);
      },
      failed: ['REVOCATION', 'GENERATION'],
      says: /revoked at generation 2 by the replay/,
      at: 0,
    },
    {
      of,
      name: 'of a session that was logged out',
      change: logOut,
      failed: ['REVOCATION'],
      says: /by a logout/,
      at: 0,
    },
    {
      of,
      name: 'of an account whose sessions were ended',
      change: async ({ clients, root }, { account }) =>
        void (await clients.session.revokeUserSessions({ userId: account.id }, root.as)),
      failed: ['REVOCATION'],
      says: /by its owner or an administrator/,
      at: 0,
    },
    {
      of,
      name: 'beyond its idle window',
      change: withColumns((now) => ({ idle_expires_at: now, absolute_expires_at: now + 1 })),
      failed: ['EXPIRY'],
      says: /idle window/,
      at: 0,
    },
    {
      of,
      name: 'beyond its absolute lifetime',
      change: withColumns((now) => ({ idle_expires_at: now, absolute_expires_at: now })),
      failed: ['EXPIRY'],
      says: /absolute lifetime/,
      at: 0,
    },
    {
      of,
      name: 'with another verifier of the same generation',
      change: withColumns(() => ({ verifier_hash: Buffer.alloc(32, 1) })),
      failed: ['GENERATION'],
      says: /never issued with this verifier/,
    },
  ];
});

export const OF_SESSIONS: readonly State[] = [
  ...OF_BOTH,
  {
    of: 'refreshToken',
    name: 'eight days old',
    handOut: oldRefreshToken,
    failed: ['EXPIRY', 'EXPIRY'],
    says: /refresh token/,
  },
];
