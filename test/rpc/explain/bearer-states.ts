import { RefreshTokenTransport } from '../../../proto/gen/authservice/session/v1/session_service.ts';
import { remove } from './scene.ts';
import { logOut, type State } from './state.ts';

const claiming = (name: string, changes: Record<string, unknown>, failed: readonly string[], says: RegExp): State => ({
  of: 'bearerToken',
  name,
  async change(_world, { forge }) {
    const { signed, claims } = await forge();
    return signed(claims(changes));
  },
  failed,
  says,
});

const past = () => Math.floor(Date.now() / 1000) - 60;

export const OF_BEARERS: readonly State[] = [
  claiming('with an end that has come', { exp: past() }, ['EXPIRY'], /expired/),
  claiming('of another issuer', { iss: 'other' }, ['SIGNATURE'], /iss/),
  claiming('for another audience', { aud: 'other' }, ['SIGNATURE'], /aud/),
  claiming('without a time of issue', { iat: undefined }, ['SIGNATURE'], /lacks iat/),
  claiming('issued in the future', { iat: past() + 3600 }, ['SIGNATURE'], /future/),
  claiming('with a malformed session id', { sid: 'x' }, ['FORM'], /invalid sub, sid or jti/),
  claiming('of another tenant than its account', { tenantId: 'globex' }, ['ACCOUNT'], /tenant/),
  {
    of: 'bearerToken',
    name: 'of another type',
    async change(_world, { forge }) {
      const { signed, claims, header } = await forge();
      return signed(claims(), header({ typ: 'JWT' }));
    },
    failed: ['SIGNATURE'],
    says: /typ/,
  },
  {
    of: 'bearerToken',
    name: 'by an unknown key',
    async change(_world, { forge }) {
      const { resigned, claims, header } = await forge();
      return resigned(claims(), header({ kid: 'other' }));
    },
    failed: ['SIGNATURE'],
    says: /not signed by a key of this service/,
  },
  {
    of: 'bearerToken',
    name: 'with a forged signature',
    async change(_world, { forge }) {
      const { resigned, claims } = await forge();
      return resigned(claims());
    },
    failed: ['SIGNATURE'],
    says: /signature/,
  },
  { of: 'bearerToken', name: 'garbage', change: async () => 'garbage', failed: ['FORM'] },
  {
    of: 'bearerToken',
    name: 'of a session that was logged out',
    change: logOut,
    failed: ['REVOCATION'],
    says: /revoked at generation 1 by a logout/,
    at: 0,
  },
  {
    of: 'bearerToken',
    name: 'of a session that was logged out and is gone',
    async change(world, handed) {
      await logOut(world, handed);
      await remove(world, 'session_families', 'id', handed.sessionId);
    },
    failed: ['REVOCATION'],
    says: /revoked/,
  },
  {
    of: 'bearerToken',
    name: 'revoked and expired',
    async change(world, handed) {
      await logOut(world, handed);
      const { signed, claims } = await handed.forge();
      return signed(claims({ exp: past() }));
    },
    failed: ['REVOCATION', 'EXPIRY'],
  },
  {
    of: 'bearerToken',
    name: 'of no session, by itself revoked',
    async change({ clients }, { forge }) {
      const { signed, claims } = await forge();
      const token = signed(claims({ sid: undefined }));
      const as = { authorization: [`Bearer ${token}`] };
      await clients.session.logout(
        { refreshTokens: [], refreshTokenTransport: RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_BODY },
        as,
      );
      return token;
    },
    failed: ['REVOCATION'],
    says: /token .* is revoked/,
  },
];
