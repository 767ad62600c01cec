// The public keys of an application, by which it signs client assertions (RFC 7523). A JSON Web Key Set (RFC 7517 section 5).
import { createPublicKey, type KeyObject } from 'node:crypto';
import { isJsonObject } from '../../../platform/rpc/contract/text-checks.ts';

/** The algorithms of assertions, by the kind of their keys. */
const ALGORITHMS: Readonly<Record<string, readonly string[]>> = {
  'ec:prime256v1': ['ES256'],
  ed25519: ['EdDSA', 'Ed25519'],
  rsa: ['RS256', 'PS256'],
};
const MAX_KEYS = 5;
const MIN_RSA_BITS = 2048;
const MAX_RSA_BITS = 4096;
/** Members of private and symmetric keys (RFC 7518 section 6). */
const SECRET_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

interface ClientKey {
  readonly kid: string;
  readonly key: KeyObject;
  /** The algorithms that it verifies. */
  readonly algorithms: readonly string[];
}

/** Returns why a text is not a set of public keys; undefined if it is one, or no JSON object, which the rule of the field refuses. */
export function findKeySetProblem(text: string): string | undefined {
  if (!isJsonObject(text)) return undefined;
  const { keys } = JSON.parse(text) as { readonly keys?: unknown };
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > MAX_KEYS)
    return `must have the member keys, an array of 1 to ${MAX_KEYS} keys`;
  if (!keys.every(isObject)) return 'must have objects as keys';
  if (keys.some((key) => SECRET_MEMBERS.some((name) => name in key) || key['kty'] === 'oct'))
    return 'must have public keys only';
  const kids = new Set(keys.map(({ kid }) => kid));
  if (kids.size < keys.length || ![...kids].every((kid) => typeof kid === 'string' && kid !== ''))
    return 'must have keys with different values of kid';
  return keys.every((key) => readKey(key) !== undefined)
    ? undefined
    : 'must have keys for ES256, EdDSA, RS256 or PS256, of RSA from 2048 to 4096 bits';
}

/**
 * Returns the key that an assertion names by `kid`, or without it the only one for its algorithm; undefined if there is none, or if
 * several fit.
 */
export function findClientKey(
  jwks: string,
  { kid, alg }: { readonly kid?: string | undefined; readonly alg: string },
): KeyObject | undefined {
  const fitting = keysOf(jwks).filter((key) => (kid === undefined || key.kid === kid) && key.algorithms.includes(alg));
  return fitting.length === 1 ? fitting[0]!.key : undefined;
}

const MAX_REMEMBERED = 200;
const remembered = new Map<string, readonly ClientKey[]>();

/** Reads a stored key set. Remembers it, because the import of a key takes as long as the check of a signature. */
function keysOf(jwks: string): readonly ClientKey[] {
  const known = remembered.get(jwks);
  if (known !== undefined) return known;
  const { keys } = JSON.parse(jwks) as { readonly keys: readonly Readonly<Record<string, unknown>>[] };
  const read = keys.flatMap((key) => readKey(key) ?? []);
  if (remembered.size >= MAX_REMEMBERED) remembered.delete(remembered.keys().next().value!);
  remembered.set(jwks, read);
  return read;
}

function readKey(jwk: Readonly<Record<string, unknown>>): ClientKey | undefined {
  const key = importKey(jwk);
  const kind = key?.asymmetricKeyType;
  if (key === undefined || kind === undefined) return undefined;
  const { modulusLength, namedCurve } = key.asymmetricKeyDetails ?? {};
  if (modulusLength !== undefined && (modulusLength < MIN_RSA_BITS || modulusLength > MAX_RSA_BITS)) return undefined;
  const known = ALGORITHMS[namedCurve === undefined ? kind : `${kind}:${namedCurve}`] ?? [];
  const { alg } = jwk;
  const algorithms = alg === undefined ? known : known.filter((name) => name === alg);
  return algorithms.length === 0 ? undefined : { kid: jwk['kid'] as string, key, algorithms };
}

function importKey(jwk: Readonly<Record<string, unknown>>): KeyObject | undefined {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
