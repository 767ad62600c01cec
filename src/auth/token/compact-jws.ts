import { sign, type KeyObject } from 'node:crypto';

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
  const digest = DIGESTS[key.algorithm];
  if (digest === undefined) throw new TypeError(`Unsupported signature algorithm ${key.algorithm}`);
  const header = { alg: key.algorithm, typ: type, kid: key.kid };
  const input = `${encode(header)}.${encode(claims)}`;
  const signature = sign(digest, Buffer.from(input), { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
