// The seals in evidence of a tenant and a period: the chain from the first seal that can have a record of the period to the last one. For a
// seal with records outside the period, their MACs: with them, its digest can be computed without their content.
import { createSecretKey } from 'node:crypto';
import type { Database, Reader } from '../../../platform/db/types.ts';
import { checkRecord, tagOf } from '../seals/record-seal.ts';
import { findSeal, firstSealSince, type StoredSeal } from '../seals/seal-store.ts';
import { selectRecordsIn, selectSeals } from '../seals/verify-store.ts';
import { base64, sealLine, type SealLine } from './evidence-file.ts';

const PAGE_SIZE = 500;
const DAY_MS = 86_400_000;

/** Unix milliseconds: inclusive, exclusive. */
export interface Period {
  readonly from: number | undefined;
  readonly until: number | undefined;
}

/** How the records of a seal lie in a period. They are all of one day. */
export function overlapOf({ newestAt }: Pick<StoredSeal, 'newestAt'>, { from, until }: Period) {
  const oldest = newestAt - (newestAt % DAY_MS);
  if (newestAt < (from ?? -Infinity) || oldest >= (until ?? Infinity)) return 'none';
  return oldest >= (from ?? -Infinity) && newestAt < (until ?? Infinity) ? 'all' : 'some';
}

export interface SealLinesOptions {
  readonly database: Database;
  readonly key: Uint8Array;
  readonly tenant: string;
  /** The number of the last seal of the export. */
  readonly last: number;
  readonly period: Period;
  readonly reader: Reader;
  readonly format: (sequence: number) => string;
}

/** Returns the lines of the seals, in the order of the chain. */
export async function* selectSealLines(options: SealLinesOptions): AsyncGenerator<SealLine> {
  const { database, tenant, period, format } = options;
  const secretKey = createSecretKey(options.key);
  let after = period.from === undefined ? 0 : (await firstSealSince(database, tenant, period.from, options.reader)) - 1;
  let previousMac = after > 0 ? (await findSeal(database, tenant, after))?.mac : undefined;
  for (;;) {
    const seals = await selectSeals(database, tenant, after, PAGE_SIZE);
    for (const seal of seals) {
      if (seal.number > options.last) return;
      const { removal } = seal;
      yield {
        ...sealLine(seal, format),
        ...(previousMac && { previousMac: base64(previousMac) }),
        ...(removal && { removal: { ...removal, mac: base64(removal.mac) } }),
        ...(overlapOf(seal, period) === 'some' && !removal && { others: await othersOf(seal) }),
      };
      previousMac = undefined;
      after = seal.number;
    }
    if (seals.length < PAGE_SIZE) return;
  }

  /** A record that does not fit its seal is left out: its content could have been moved out of the period. */
  async function othersOf({ firstSequence: first, lastSequence: last }: StoredSeal) {
    const records = await selectRecordsIn(database, { first, last }, last - first + 1);
    return records
      .filter(({ at, tenantId }) => (tenantId ?? '') === tenant && !isIn(period, at))
      .filter((record) => checkRecord(secretKey, record, record.sequence, record.seal).isGenuine)
      .map(({ sequence, seal }) => [format(sequence), base64(tagOf(seal!))] as const);
  }
}

function isIn({ from = -Infinity, until = Infinity }: Period, at: number): boolean {
  return at >= from && at < until;
}
