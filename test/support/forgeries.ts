// All kinds of forged bearer tokens.
import { hs256, otherSpelling, unsigned, type TokenForge } from './forged-tokens.ts';

/** Forged tokens by the name of the attack. `good` is a valid token. */
export const FORGERIES: Record<string, (forge: TokenForge, good: string) => string> = {
  'a word': () => 'garbage',
  dots: () => '..',
  'three letters': () => 'a.b.c',
  'three empty objects': () => unsigned({}, {}),
  'five parts, as encryption has': (_, good) => `${good}.a.b`,
  'its JSON form': (forge, good) =>
    JSON.stringify({
      protected: good.split('.')[0],
      payload: good.split('.')[1],
      signature: good.split('.')[2],
      kid: forge.kid,
    }),
  'two tokens': (_, good) => `${good} ${good}`,
  'two tokens in a list': (_, good) => `${good}, Bearer ${good}`,
  'a word after it': (_, good) => `${good} x`,
  'a blank in the signature': (_, good) => `${good.slice(0, -4)} ${good.slice(-4)}`,
  padding: (_, good) => `${good}==`,
  quotes: (_, good) => `"${good}"`,
  'no signature': (_, good) => good.slice(0, good.lastIndexOf('.') + 1),
  'two parts': (_, good) => good.slice(0, good.lastIndexOf('.')),
  'half a signature': (_, good) => good.slice(0, -40),
  'one character less': (_, good) => good.slice(0, -1),
  'one character more': (_, good) => `${good}A`,
  'the first character less': (_, good) => good.slice(1),
  'another signature': (_, good) => good.replace(/.{8}$/, 'AAAAAAAA'),
  'another spelling of the signature': (_, good) => otherSpelling(good),
  'a signature of zeros': (_, good) =>
    `${good.slice(0, good.lastIndexOf('.'))}.${Buffer.alloc(64).toString('base64url')}`,
  'the signature of another token': (forge, good) =>
    good.slice(0, good.lastIndexOf('.')) + forge.signed(forge.claims()).slice(good.lastIndexOf('.')),
  'other claims under the signature': (forge, good) =>
    [good.split('.')[0], part(forge.claims({ roles: ['ROLE_SUPER_ADMIN'] })), good.split('.')[2]].join('.'),
  'another header over the signature': (forge, good) =>
    [part(forge.header({ typ: 'JWT' })), ...good.split('.').slice(1)].join('.'),

  ...Object.fromEntries(
    ['none', 'None', 'NONE', 'nOnE', 'null', ''].flatMap((alg) => [
      [`alg ${alg} without a signature`, (forge: TokenForge) => unsigned(forge.header({ alg }), forge.claims())],
      [`alg ${alg} with a signature`, (forge: TokenForge) => forge.signed(forge.claims(), forge.header({ alg }))],
    ]),
  ),
  ...Object.fromEntries(
    [undefined, null, ['ES256'], 'ES384', 'ES256K', 'EdDSA', 'RS256', 'PS256', 'HS256', 'es256'].map((alg) => [
      `alg ${JSON.stringify(alg)} over an ES256 signature`,
      (forge: TokenForge) => forge.signed(forge.claims(), forge.header({ alg })),
    ]),
  ),
  'HS256 under the public key as PEM': (forge) =>
    hs256(forge.header({ alg: 'HS256' }), forge.claims(), forge.publicKey.export({ format: 'pem', type: 'spki' })),
  'HS256 under the public key as DER': (forge) =>
    hs256(forge.header({ alg: 'HS256' }), forge.claims(), forge.publicKey.export({ format: 'der', type: 'spki' })),
  'HS256 under the public JWK': (forge) => hs256(forge.header({ alg: 'HS256' }), forge.claims(), forge.publicJwk),
  'HS256 under the kid': (forge) => hs256(forge.header({ alg: 'HS256' }), forge.claims(), forge.kid),
  'HS256 under nothing': (forge) =>
    hs256(forge.header({ alg: 'HS256', kid: '../../../../dev/null' }), forge.claims(), ''),

  'another key with the same kid': (forge) => forge.resigned(forge.claims()),
  'another key with a kid of its own': (forge) => forge.resigned(forge.claims(), forge.header({ kid: 'other' })),
  'another key in jwk': (forge) => forge.resigned(forge.claims(), forge.header({ jwk: forge.foreignJwk })),
  'another key in jwk, without a kid': (forge) =>
    forge.resigned(forge.claims(), { alg: 'ES256', typ: 'at+jwt', jwk: forge.foreignJwk }),
  'another key by jku': (forge) =>
    forge.resigned(forge.claims(), forge.header({ jku: 'http://127.0.0.1:1/jwks.json' })),
  'another key by x5u': (forge) => forge.resigned(forge.claims(), forge.header({ x5u: 'file:///etc/ssl/cert.pem' })),
  'another key in x5c': (forge) => forge.resigned(forge.claims(), forge.header({ x5c: ['AAAA'] })),
  ...Object.fromEntries(
    [
      undefined,
      null,
      '',
      'unknown',
      '../../../../etc/passwd',
      "' OR 1=1 --",
      '\0',
      '\u00e9\u{1f511}',
      7,
      [],
      ['x'],
      {},
      '__proto__',
      'k'.repeat(5_000),
    ].map((kid) => [
      `the kid ${JSON.stringify(kid)?.slice(0, 30)}`,
      (forge: TokenForge) => forge.signed(forge.claims(), forge.header({ kid })),
    ]),
  ),
  'an extension that it must understand': (forge) =>
    forge.signed(forge.claims(), forge.header({ crit: ['urn:x'], 'urn:x': true })),
  'an empty list of extensions': (forge) => forge.signed(forge.claims(), forge.header({ crit: [] })),
  'an unencoded payload': (forge) => forge.signed(forge.claims(), forge.header({ crit: ['b64'], b64: false })),
  ...Object.fromEntries(
    [undefined, null, 'JWT', 'rt+jwt', 'dpop+jwt', 'at', 7, ['at+jwt']].map((typ) => [
      `the typ ${JSON.stringify(typ)}`,
      (forge: TokenForge) => forge.signed(forge.claims(), forge.header({ typ })),
    ]),
  ),
  'a header that is no object': (forge) => forge.signed(forge.claims(), [forge.header()]),
  'a header that is no JSON': (forge) => forge.signed(forge.claims(), '{"alg":"ES256"'),
  'a header that is no UTF-8': (forge) => forge.signed(forge.claims(), Buffer.from([0x7b, 0xff, 0x7d])),

  ...Object.fromEntries(
    [[], [1], 'null', '"text"', '1', '', '{', '[{}]', Buffer.from([0xff, 0xfe]), {}].map((payload) => [
      `the payload ${JSON.stringify(payload)}`,
      (forge: TokenForge) => forge.signed(payload),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries({
      iss: [undefined, 'other', '', 'MY-SHOP', ['my-shop'], null],
      aud: [undefined, 'other', '', [], ['other'], 7],
      exp: [undefined, null, 0, -1, 'tomorrow', '99999999999', true],
      iat: [undefined, null, 'now', true],
      sub: [undefined, null, '', 7, 'admin', '../x', [], {}, "' OR 1=1 --", 'x'.repeat(4_000)],
      jti: [undefined, null, 7, []],
      sid: ['', 'x', '../x', '00000000-0000-0000-0000-00000000000g'],
      tenantId: [undefined, null, '', 'globex', 'ACME', 'acme ', 7, ['acme']],
    }).flatMap(([claim, values]) =>
      values.map((value: unknown) => [
        `the ${claim} ${JSON.stringify(value)?.slice(0, 40)}`,
        (forge: TokenForge) => forge.signed(forge.claims({ [claim]: value })),
      ]),
    ),
  ),
  'an end that is now': (forge) => forge.signed(forge.claims({ exp: forge.claims()['iat'] })),
  'an issue to come': (forge) => forge.signed(forge.claims({ iat: Number(forge.claims()['iat']) + 60 })),
  'a use to come': (forge) => forge.signed(forge.claims({ nbf: Number(forge.claims()['iat']) + 60 })),
  'the subject in capitals': (forge) =>
    forge.signed(forge.claims({ sub: String(forge.claims()['sub']).toUpperCase() })),
  '12,000 bytes, well signed': (forge) => forge.signed(forge.claims({ x: 'x'.repeat(8_600) })),
};

function part(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
