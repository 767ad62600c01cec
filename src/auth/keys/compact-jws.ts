import { sign, verify, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { decodeBase64 } from '../../platform/formats/base64.ts';

/** The digest of each algorithm (RFC 7518 section 3.1); EdDSA has its own (RFC 8037 section 3.1). */
const DIGESTS: Readonly<Record<string, string | null>> = { ES256: 'sha256', RS256: 'sha256', EdDSA: null };

export interface JwsKey {
  readonly kid: string;
  /** ES256, RS256 or EdDSA. */
  readonly algorithm: string;
  readonly privateKey: KeyObject;
}

/**
 * Signs a JWT in the compact serialization (RFC 7515 section 3.1), synchronously. WebCrypto, which jose uses, takes
 * four times as long and waits in the thread pool behind the password hashes. Throws TypeError for an unsupported
 * algorithm.
 */
export function signCompact(key: JwsKey, type: string, claims: object): string {
  const { digest, input, options } = prepareSignature(key, type, claims);
  return join(input, sign(digest, input, options));
}

const signInPool = promisify(sign);

/** As `signCompact`, in the thread pool: for RS256, which takes 20 times as long as ES256. */
export async function signCompactInPool(key: JwsKey, type: string, claims: object): Promise<string> {
  const { digest, input, options } = prepareSignature(key, type, claims);
  return join(input, await signInPool(digest, input, options));
}

function prepareSignature({ kid, algorithm, privateKey }: JwsKey, type: string, claims: object) {
  const digest = DIGESTS[algorithm];
  if (digest === undefined) throw new TypeError(`Unsupported signature algorithm ${algorithm}`);
  const header = { alg: algorithm, typ: type, kid };
  const input = Buffer.from(`${encode(header)}.${encode(claims)}`);
  return { digest, input, options: { key: privateKey, dsaEncoding: 'ieee-p1363' } as const };
}

function join(input: Buffer, signature: Buffer): string {
  return `${input.toString()}.${signature.toString('base64url')}`;
}

/**
 * Whether the signature of a JWS has the only encoding that RFC 7515 section 2 allows. jose accepts others. The signature
 * covers the encoding of header and payload.
 */
export function hasCanonicalSignature(jws: string): boolean {
  return decodeBase64(jws.slice(jws.lastIndexOf('.') + 1), 'base64url') !== undefined;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** The content of a JWS. `isVerified` is undefined if its key is not known any more. */
export interface CompactJws {
  readonly type: unknown;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly isVerified: boolean | undefined;
}

/**
 * Reads a JWS in the compact serialization and checks its signature. Returns undefined if the text is not one.
 *
 * @param keyOf Returns the public key with an id and its algorithm.
 */
export function readCompact(
  jws: string,
  keyOf: (kid: string) => { readonly algorithm: string; readonly publicKey: KeyObject } | undefined,
): CompactJws | undefined {
  const [head, payload = '', signature = '', ...more] = jws.split('.') as [string, ...string[]];
  const [header, claims] = [decode(head), decode(payload)];
  if (!header || !claims || more.length > 0) return undefined;
  const key = keyOf(String(header['kid']));
  const digest = key && DIGESTS[key.algorithm];
  const isVerified =
    digest === undefined
      ? undefined
      : header['alg'] === key!.algorithm &&
        verify(
          digest,
          Buffer.from(`${head}.${payload}`),
          { key: key!.publicKey, dsaEncoding: 'ieee-p1363' },
          Buffer.from(signature, 'base64url'),
        );
  return { type: header['typ'], claims, isVerified };
}

function decode(part: string): Record<string, unknown> | null | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : undefined;
  } catch {
    return undefined;
  }
}
