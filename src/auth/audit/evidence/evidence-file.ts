// The format of evidence: NDJSON that proves itself to the key of the seals. The first line describes the export. Each line with an `id` is a
// record with its seal. Lines with `sealNumber` are the seals of the tenant's chain. The last line has the MAC of all lines before it.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createAuditCursors } from '../export/audit-cursor.ts';
import { FIRST_OLD } from '../seals/seal-store.ts';
import type { Removal, Seal } from '../seals/seal-chain.ts';

export const EVIDENCE_VERSION = 1;

/** The first line. */
export interface EvidenceHeader {
  readonly evidence: typeof EVIDENCE_VERSION;
  readonly exportedAt: string;
  readonly exportedBy: { readonly id: string; readonly username: string };
  /** The filter as a query of GET /audit-records. */
  readonly filter: string;
  /** The tenant, '' for none and `*` for all. */
  readonly tenant: string;
  /** The period of the records, Unix milliseconds. */
  readonly from: number | undefined;
  readonly until: number | undefined;
}

/** The members of a record's line besides those of the record. */
export interface RecordProof {
  /** Its encrypted place in the order of all tenants. */
  readonly place?: string;
  readonly seal?: string;
  /** Whether the username or the address was erased with an account, as the trail says. */
  readonly erased?: true;
}

/** The line of a seal. Bytes are in base64url. */
export interface SealLine {
  readonly sealNumber: number;
  readonly first: string;
  readonly last: string;
  readonly newestAt: number;
  readonly sealedAt: number;
  readonly digest: string;
  readonly mac: string;
  /** The MAC before the first seal of the export, if it is not the first of the chain. */
  readonly previousMac?: string;
  readonly removal?: Removal & { readonly mac: string };
  /** Its records outside the period: places, and MACs of their seals. */
  readonly others?: readonly (readonly [place: string, tag: string])[];
}

/** The last line. */
export interface EvidenceEnd {
  readonly records: number;
  /** Whether the seals prove that no record of the tenant and the period is missing. */
  readonly isComplete: boolean;
  /** Whether more records match, which the export does not have. */
  readonly isTruncated: boolean;
  readonly seals: number;
}

/** The places of records, which only this key can read: their growth shows how many events other tenants have. */
export const evidencePlaces = (key: Uint8Array) => createAuditCursors(key, FIRST_OLD);

/** Computes the MAC of a file line by line. */
export function createEvidenceMac(key: Uint8Array) {
  const mac = createHmac('sha256', key).update('evidence\n');
  return {
    /** Adds a line, without its end. */
    add: (line: string): void => void mac.update(`${line}\n`),
    /** Returns the last line. No line can follow. */
    end: (end: EvidenceEnd): string => {
      const text = JSON.stringify(end);
      return JSON.stringify({ end, mac: mac.update(text).digest('base64url') });
    },
  };
}

export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

/** Returns the line of a seal. */
export function sealLine(
  { number, firstSequence, lastSequence, newestAt, sealedAt, digest, mac }: Seal,
  format: (sequence: number) => string,
): SealLine {
  const [first, last] = [format(firstSequence), format(lastSequence)];
  return { sealNumber: number, first, last, newestAt, sealedAt, digest: base64(digest), mac: base64(mac) };
}

/** Whether two byte strings are the same. */
export function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
