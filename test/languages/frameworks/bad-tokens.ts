// Tokens that are right but for one thing.
import { hs256, unsigned } from '../../support/forged-tokens.ts';
import type { AuthService } from './auth-service.ts';

export type Forged = Awaited<ReturnType<AuthService['forge']>>;

const HOUR_SECONDS = 3_600;
const now = () => Math.floor(Date.now() / 1_000);

const BAD_TOKENS = {
  'text that is not a token': () => 'garbage',
  'a token of another key': ({ claims, by }) => by.resigned(claims),
  'a token of another key that the header carries': ({ claims, by }) =>
    by.resigned(claims, { alg: 'ES256', typ: 'at+jwt', jwk: by.foreignJwk }),
  'an unsigned token': ({ claims, by }) => unsigned(by.header({ alg: 'none' }), claims),
  'a token signed with the public key as a secret': ({ claims, by }) =>
    hs256(by.header({ alg: 'HS256' }), claims, by.publicJwk),
  'a token with changed claims': ({ claims, by }) => {
    const [header, , signature] = by.signed(claims).split('.');
    const changed = Buffer.from(JSON.stringify({ ...claims, roles: ['ROLE_ADMIN'] })).toString('base64url');
    return [header, changed, signature].join('.');
  },
  'an expired token': ({ claims, by }) =>
    by.signed({ ...claims, iat: now() - 2 * HOUR_SECONDS, exp: now() - HOUR_SECONDS }),
  'a token without an end': ({ claims, by }) => by.signed({ ...claims, exp: undefined }),
  'a token for another audience': ({ claims, by }) => by.signed({ ...claims, aud: 'another-shop' }),
  'a token of another issuer': ({ claims, by }) => by.signed({ ...claims, iss: 'https://auth.other.test' }),
  'a token of another type': ({ claims, by }) => by.signed(claims, by.header({ typ: 'JWT' })),
} as const satisfies Readonly<Record<string, (forged: Forged) => string>>;

export type BadToken = keyof typeof BAD_TOKENS;
export const BAD_TOKEN_NAMES = Object.keys(BAD_TOKENS) as BadToken[];

/** A token like a good one, with this one fault. */
export const badToken = (name: BadToken, forged: Forged): string => BAD_TOKENS[name](forged);
