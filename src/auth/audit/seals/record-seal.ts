// The seal of an audit record: a MAC of its columns. An erasure can remove the username and the client address later. So the MAC
// covers a salted digest of each. The erasure keeps the digests and removes the salt: the values cannot be guessed from them.
import { createHmac, hash, randomBytes, type KeyObject } from 'node:crypto';

/** The values that an erasure can remove. */
export interface Traces {
  readonly username: string | undefined;
  readonly clientAddress: string;
}

/** A record to seal. */
interface SealedValues extends Traces {
  readonly tenantId: string | undefined;
  readonly id: string;
  readonly at: number;
  readonly event: string;
  readonly accountId: string | undefined;
  readonly actorId: string | undefined;
  readonly requestId: string;
  readonly details: string;
  readonly sessionId: string | undefined;
}

/** How a stored record fits its seal. */
export interface RecordFindings {
  readonly isGenuine: boolean;
  readonly isUsernameErased: boolean;
  readonly isAddressErased: boolean;
}

const FLAGS = { username: 1, clientAddress: 2 } as const;
const TAG_END = 17;
const PART_BYTES = 16;
/** The first byte has the flags. Then come the MAC, and the salt or, after an erasure, a part for each value. */
const WITH_SALT_BYTES = TAG_END + PART_BYTES;
const WITH_PARTS_BYTES = TAG_END + 2 * PART_BYTES;

/** Creates the salts of seals. One call for many records: each call of the generator costs as much as a few hashes. */
export function createSalts(count: number): readonly Buffer[] {
  const bytes = randomBytes(count * PART_BYTES);
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * PART_BYTES, (index + 1) * PART_BYTES));
}

/** Creates the seal of a record at its place in the order. Each record needs a salt of its own. */
export function sealRecord(key: KeyObject, record: SealedValues, sequence: number, salt: Buffer): Buffer {
  const digests = [digestOf(saltOf(salt, 'username'), record.username)];
  digests.push(digestOf(saltOf(salt, 'clientAddress'), record.clientAddress));
  return Buffer.concat([Buffer.of(0), macOf(key, record, sequence, digests), salt]);
}

/** Checks a record against its seal. An erased value is not compared. */
export function checkRecord(
  key: KeyObject,
  record: SealedValues,
  sequence: number,
  seal: Uint8Array | undefined,
): RecordFindings {
  const parts = seal && partsOf(Buffer.from(seal));
  if (!parts) return { isGenuine: false, isUsernameErased: false, isAddressErased: false };
  const { flags, tag, username, clientAddress } = parts;
  const isUsernameErased = (flags & FLAGS.username) !== 0;
  const isAddressErased = (flags & FLAGS.clientAddress) !== 0;
  const digests = [
    isUsernameErased ? username : digestOf(username, record.username),
    isAddressErased ? clientAddress : digestOf(clientAddress, record.clientAddress),
  ];
  return { isGenuine: macOf(key, record, sequence, digests).equals(tag), isUsernameErased, isAddressErased };
}

/** Returns the seal after an erasure that replaces the values `before` by `after`. */
export function eraseFromSeal(seal: Uint8Array, before: Traces, after: Traces): Buffer {
  const parts = partsOf(Buffer.from(seal));
  if (!parts) return Buffer.from(seal);
  let { flags } = parts;
  const partOf = (name: keyof Traces) => {
    if (before[name] === after[name] || (flags & FLAGS[name]) !== 0) return parts[name];
    flags |= FLAGS[name];
    return digestOf(parts[name], before[name]);
  };
  const [username, clientAddress] = [partOf('username'), partOf('clientAddress')];
  if (flags === parts.flags) return Buffer.from(seal);
  return Buffer.concat([Buffer.of(flags), parts.tag, username, clientAddress]);
}

/** Whether an erasure has removed a value of the record. */
export function isErasedSeal(seal: Uint8Array): boolean {
  return seal.length > 0 && seal[0] !== 0;
}

/** Returns the MAC of a seal, for the digest of a batch. */
export function tagOf(seal: Uint8Array): Uint8Array {
  return seal.subarray(1, TAG_END);
}

/** Returns the MAC, and for each value its salt or, if it was erased, its digest; undefined if the length is wrong. */
function partsOf(seal: Buffer) {
  const [flags, tag, rest] = [seal[0]!, seal.subarray(1, TAG_END), seal.subarray(TAG_END)];
  if (seal.length === WITH_PARTS_BYTES)
    return { flags, tag, username: rest.subarray(0, PART_BYTES), clientAddress: rest.subarray(PART_BYTES) };
  if (seal.length !== WITH_SALT_BYTES || flags !== 0) return undefined;
  return { flags, tag, username: saltOf(rest, 'username'), clientAddress: saltOf(rest, 'clientAddress') };
}

const NAMES = { username: Buffer.from('username'), clientAddress: Buffer.from('clientAddress') } as const;

function saltOf(salt: Uint8Array, name: keyof Traces): Buffer {
  return shortHash(Buffer.concat([salt, NAMES[name]]));
}

function digestOf(salt: Uint8Array, value: string | undefined): Buffer {
  return shortHash(Buffer.concat([salt, Buffer.from(JSON.stringify(value ?? null))]));
}

function shortHash(bytes: Uint8Array): Buffer {
  // Node creates a text faster than a buffer of the same digest.
  return Buffer.from(hash('sha256', bytes, 'hex').slice(0, 2 * PART_BYTES), 'hex');
}

function macOf(key: KeyObject, record: SealedValues, sequence: number, digests: readonly Buffer[]): Buffer {
  const { tenantId = null, id, at, event, accountId = null, actorId = null, requestId, details, sessionId } = record;
  const traces = digests.map((digest) => digest.toString('base64'));
  const text = JSON.stringify([
    'record',
    sequence,
    tenantId,
    id,
    at,
    event,
    accountId,
    actorId,
    requestId,
    details,
    traces,
    // Records of earlier releases have none, and keep their MAC.
    ...(sessionId === undefined ? [] : [sessionId]),
  ]);
  return createHmac('sha256', key).update(text).digest().subarray(0, PART_BYTES);
}
