// A software authenticator with its browser, written from WebAuthn level 3 (sections 5.8.1, 6.1, 6.5, 8.7) and RFC 9052.
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

type Algorithm = 'ES256' | 'RS256' | 'EdDSA';

/** What the authenticator and the browser do differently from a good ceremony. */
export interface Ceremony {
  readonly origin?: string;
  readonly crossOrigin?: boolean;
  readonly type?: string;
  readonly challenge?: string;
  readonly rpId?: string;
  readonly userPresent?: boolean;
  readonly userVerified?: boolean;
  readonly backupEligible?: boolean;
  readonly backedUp?: boolean;
  readonly counter?: number;
  readonly userHandle?: string | undefined;
  /** Changes the signed bytes after the signature. */
  readonly isForged?: boolean;
}

interface CreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
  readonly pubKeyCredParams: readonly { readonly alg: number }[];
  readonly excludeCredentials: readonly { readonly id: string }[];
}

interface RequestOptions {
  readonly challenge: string;
  readonly rpId: string;
  readonly allowCredentials?: readonly { readonly id: string }[];
}

export interface Authenticator {
  /** The id of its passkey in base64url. */
  readonly id: string;
  /** Returns RegistrationResponseJSON for PublicKeyCredentialCreationOptionsJSON. */
  create(options: unknown, ceremony?: Ceremony & { readonly attestation?: Attestation }): Passkey;
  /** Returns AuthenticationResponseJSON for PublicKeyCredentialRequestOptionsJSON. */
  get(options: unknown, ceremony?: Ceremony): Passkey;
}

/** The JSON of a PublicKeyCredential. */
export interface Passkey {
  readonly id: string;
  readonly rawId: string;
  readonly type: string;
  readonly response: Readonly<Record<string, unknown>>;
  readonly clientExtensionResults: object;
}

/** An attestation statement in place of `none`. */
export interface Attestation {
  readonly fmt: string;
  readonly attStmt: ReadonlyMap<unknown, unknown>;
}

const FLAGS = { userPresent: 0x01, userVerified: 0x04, backupEligible: 0x08, backedUp: 0x10, attested: 0x40 };
const AAGUID = Buffer.alloc(16);

/** @param options.counter `zero`: the authenticator does not count, as synchronised passkeys do not. */
export function createAuthenticator(options: {
  readonly origin: string;
  readonly algorithm?: Algorithm;
  readonly backupEligible?: boolean;
  readonly counter?: 'counts' | 'zero';
}): Authenticator {
  const { origin, algorithm = 'ES256', counter: counting = 'counts' } = options;
  const { publicKey, privateKey } = KEYS[algorithm]();
  const credentialId = randomBytes(32);
  const id = credentialId.toString('base64url');
  let counter = 0;
  let userHandle: string | undefined;

  const authenticatorData = (rpId: string, attested: Buffer, ceremony: Ceremony): Buffer => {
    const { userPresent = true, userVerified = true, backupEligible = options.backupEligible ?? false } = ceremony;
    const { backedUp = backupEligible } = ceremony;
    if (counting === 'counts') counter += 1;
    const flags =
      (userPresent ? FLAGS.userPresent : 0) |
      (userVerified ? FLAGS.userVerified : 0) |
      (backupEligible ? FLAGS.backupEligible : 0) |
      (backedUp ? FLAGS.backedUp : 0) |
      (attested.length > 0 ? FLAGS.attested : 0);
    return Buffer.concat([
      sha256(ceremony.rpId ?? rpId),
      Buffer.of(flags),
      uint(ceremony.counter ?? counter, 4),
      attested,
    ]);
  };

  const clientData = (type: string, challenge: string, ceremony: Ceremony): Buffer =>
    Buffer.from(
      JSON.stringify({
        type: ceremony.type ?? type,
        challenge: ceremony.challenge ?? challenge,
        origin: ceremony.origin ?? origin,
        crossOrigin: ceremony.crossOrigin ?? false,
      }),
    );

  const passkey = (response: Passkey['response']): Passkey => ({
    id,
    rawId: id,
    type: 'public-key',
    response,
    clientExtensionResults: {},
  });

  return {
    id,
    create(given, ceremony = {}) {
      const { challenge, rp, user, pubKeyCredParams, excludeCredentials } = given as CreationOptions;
      if (!pubKeyCredParams.some(({ alg }) => alg === COSE_ALGORITHMS[algorithm])) throw new Error('NotSupportedError');
      if (excludeCredentials.some((excluded) => excluded.id === id)) throw new Error('InvalidStateError');
      userHandle = user.id;
      const attested = Buffer.concat([AAGUID, uint(credentialId.length, 2), credentialId, cbor(coseKey(publicKey))]);
      const { fmt, attStmt } = ceremony.attestation ?? { fmt: 'none', attStmt: new Map() };
      const attestationObject = cbor(
        new Map<string, unknown>([
          ['fmt', fmt],
          ['attStmt', attStmt],
          ['authData', authenticatorData(rp.id, attested, ceremony)],
        ]),
      );
      return passkey({
        clientDataJSON: clientData('webauthn.create', challenge, ceremony).toString('base64url'),
        attestationObject: attestationObject.toString('base64url'),
        transports: ['internal'],
      });
    },
    get(given, ceremony = {}) {
      const { challenge, rpId, allowCredentials = [] } = given as RequestOptions;
      if (allowCredentials.length > 0 && !allowCredentials.some((allowed) => allowed.id === id))
        throw new Error('NotAllowedError');
      const client = clientData('webauthn.get', challenge, ceremony);
      const data = authenticatorData(rpId, Buffer.alloc(0), ceremony);
      const signed = Buffer.concat([data, sha256(client)]);
      const signature = sign(algorithm === 'EdDSA' ? null : 'sha256', signed, privateKey);
      const sent = Buffer.from(data);
      if (ceremony.isForged) sent.writeUInt32BE(sent.readUInt32BE(33) + 1, 33);
      return passkey({
        clientDataJSON: client.toString('base64url'),
        authenticatorData: sent.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle: 'userHandle' in ceremony ? ceremony.userHandle : userHandle,
      });
    },
  };
}

const KEYS: Readonly<Record<Algorithm, () => { publicKey: KeyObject; privateKey: KeyObject }>> = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  EdDSA: () => generateKeyPairSync('ed25519'),
};

const COSE_ALGORITHMS: Readonly<Record<Algorithm, number>> = { ES256: -7, RS256: -257, EdDSA: -8 };

/** Returns a COSE key (RFC 9052 section 7, RFC 9053 section 7, RFC 8230 section 4). */
function coseKey(key: KeyObject): Map<number, unknown> {
  const jwk = key.export({ format: 'jwk' });
  const bytes = (text: string | undefined) => Buffer.from(text!, 'base64url');
  if (jwk.kty === 'EC')
    return new Map<number, unknown>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytes(jwk.x)],
      [-3, bytes(jwk.y)],
    ]);
  if (jwk.kty === 'OKP')
    return new Map<number, unknown>([
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, bytes(jwk.x)],
    ]);
  return new Map<number, unknown>([
    [1, 3],
    [3, -257],
    [-1, bytes(jwk.n)],
    [-2, bytes(jwk.e)],
  ]);
}

/** Encodes integers, bytes, texts, lists and maps (RFC 8949 section 3). */
function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(cbor)]);
  if (!(value instanceof Map)) throw new TypeError('not a value of these ceremonies');
  return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, item]) => [cbor(key), cbor(item)])]);
}

function head(major: number, argument: number): Buffer {
  const first = (info: number) => Buffer.of((major << 5) | info);
  if (argument < 24) return first(argument);
  if (argument < 0x100) return Buffer.concat([first(24), uint(argument, 1)]);
  return Buffer.concat([first(25), uint(argument, 2)]);
}

function uint(value: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.writeUIntBE(value, 0, length);
  return bytes;
}

function sha256(data: string | Uint8Array): Buffer {
  return createHash('sha256').update(data).digest();
}
