// The chain of seals of a tenant. Each MAC covers the one before it, so no seal can be changed, removed or inserted without the key.
import { createHmac, hash } from 'node:crypto';
import { tagOf } from './record-seal.ts';

/** A seal of consecutive audit records. */
export interface Seal {
  /** Empty for records without a tenant, `*` for the seal of a batch, which covers those of all tenants. */
  readonly tenant: string;
  /** Its place in the chain of the tenant, from 1. */
  readonly number: number;
  readonly firstSequence: number;
  readonly lastSequence: number;
  /** The time of its newest record, Unix milliseconds. */
  readonly newestAt: number;
  readonly sealedAt: number;
  /** Digest of the seals of its records, or of the seals of tenants in its batch. */
  readonly digest: Uint8Array;
  readonly mac: Uint8Array;
}

/** When the retention has removed the records of a seal. */
export interface Removal {
  readonly removedAt: number;
  /** How long the records were kept at least, in milliseconds. */
  readonly keptMs: number;
}

/** Returns the seal that follows `previous` in a chain. */
export function nextSeal(
  key: Uint8Array,
  previous: Pick<Seal, 'number' | 'mac'> | undefined,
  content: Omit<Seal, 'number' | 'mac'>,
): Seal {
  const seal = { ...content, number: (previous?.number ?? 0) + 1 };
  return { ...seal, mac: macOf(key, seal, previous?.mac) };
}

/** Returns the MAC that a seal must have after the seal with `previousMac`. */
export function macOf(key: Uint8Array, seal: Omit<Seal, 'mac'>, previousMac: Uint8Array | undefined): Buffer {
  const { tenant, number, firstSequence, lastSequence, newestAt, sealedAt, digest } = seal;
  const links = [digest, previousMac ?? Buffer.alloc(0)].map((bytes) => Buffer.from(bytes).toString('base64'));
  return mac(key, ['seal', tenant, number, firstSequence, lastSequence, newestAt, sealedAt, ...links]);
}

/** Returns the MAC of a removal by the retention. */
export function removalMacOf(key: Uint8Array, seal: Pick<Seal, 'tenant' | 'number'>, removal: Removal): Buffer {
  return mac(key, ['removal', seal.tenant, seal.number, removal.removedAt, removal.keptMs]);
}

/** Returns the digest of the seals of records. */
export function digestOfRecords(seals: readonly Uint8Array[]): Buffer {
  return hash('sha256', Buffer.concat(seals.map(tagOf)), 'buffer');
}

/** Returns the digest of the seals of tenants in a batch. */
export function digestOfSeals(seals: readonly Pick<Seal, 'mac'>[]): Buffer {
  return hash('sha256', Buffer.concat(seals.map((seal) => seal.mac)), 'buffer');
}

function mac(key: Uint8Array, values: readonly (string | number)[]): Buffer {
  return createHmac('sha256', key).update(JSON.stringify(values)).digest();
}
