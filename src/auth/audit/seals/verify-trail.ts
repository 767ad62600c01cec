// Verifies the audit trail: first the chain of each tenant, then each batch with its seals and records. Needs memory for one part of the
// trail only, and can run beside the service.
import { timingSafeEqual } from 'node:crypto';
import type { Database } from '../../../platform/db/types.ts';
import { digestOfSeals, macOf, removalMacOf } from './seal-chain.ts';
import { findSeal, lastSeal, lastSequence, type StoredSeal } from './seal-store.ts';
import { EVERY_TENANT } from '../statistics/statistics-store.ts';
import { createCheckSeal, type SealFindings, type TrailProblem } from './verify-seal.ts';
import {
  nextSealedTenant,
  selectErasedTenants,
  selectRecordsBeyond,
  selectRecordsIn,
  selectSeals,
  selectSealsIn,
  type Range,
} from './verify-store.ts';

/** The last seal of a chain, as it was kept elsewhere. */
export interface KeptHead {
  /** Empty for records without a tenant, `*` for all. */
  readonly tenant: string;
  readonly number: number;
  readonly mac: Uint8Array;
}

export type { TrailProblem };

export interface TrailCounts {
  records: number;
  seals: number;
  /** Records that the retention or an erasure of their tenant has removed. */
  removed: number;
  /** Records with an erased username or address. */
  erased: number;
}

export interface VerifyOptions {
  readonly database: Database;
  readonly key: Uint8Array;
  readonly head?: KeptHead | undefined;
  readonly onProblem: (problem: TrailProblem) => void;
  /** Called after each part, with the number of verified batches and of all. */
  readonly onProgress?: (done: number, total: number, counts: TrailCounts) => void;
  readonly signal?: AbortSignal;
}

const PAGE_SIZE = 1_000;
/** Records in memory. */
const PART_SIZE = 5_000;

/** Verifies the whole trail up to the last batch at this moment. Returns what it has read. */
export async function verifyTrail(options: VerifyOptions): Promise<TrailCounts> {
  const { database, key, head, onProblem, onProgress, signal } = options;
  const counts: TrailCounts = { records: 0, seals: 0, removed: 0, erased: 0 };
  const total = (await lastSeal(database, EVERY_TENANT))?.number ?? 0;
  if (head) await checkHead(database, head, onProblem);
  let tenant = await nextSealedTenant(database, undefined);
  for (; tenant !== undefined && !signal?.aborted; tenant = await nextSealedTenant(database, tenant))
    counts.seals += await checkChain({ database, key, onProblem }, tenant);
  const createCheck = async () =>
    createCheckSeal({ database, key, erasedTenants: await selectErasedTenants(database) });
  let checkSeal = await createCheck();
  let done = 0;
  while (done < total && !signal?.aborted) {
    const batches = (await selectSeals(database, EVERY_TENANT, done, PAGE_SIZE)).filter(
      ({ number }) => number <= total,
    );
    if (batches.length === 0) break;
    for (const part of partsOf(batches)) {
      let found = await checkPart(database, part, checkSeal);
      if (found.problems.length > 0) {
        // An erasure can have ended since the check was created.
        checkSeal = await createCheck();
        found = await checkPart(database, part, checkSeal);
      }
      for (const problem of found.problems) onProblem(problem);
      counts.records += found.records;
      counts.removed += found.removed;
      counts.erased += found.erased;
      done += part.length;
      onProgress?.(done, total, counts);
      if (signal?.aborted) break;
    }
    done = batches.at(-1)!.number;
  }
  await checkOutside(database, onProblem);
  return counts;
}

async function checkHead(database: Database, head: KeptHead, onProblem: (problem: TrailProblem) => void) {
  const { tenant, number, mac } = head;
  const stored = await findSeal(database, tenant, number);
  if (stored && isSame(stored.mac, mac)) return;
  const last = (await lastSeal(database, tenant))?.number ?? 0;
  const detail = stored ? 'differs from the kept head' : `is missing; the last seal is ${last}`;
  onProblem({ kind: stored ? 'seal-changed' : 'cut', tenantId: tenant || undefined, seal: number, detail });
}

/** Checks the chain of a tenant. Returns the number of its seals. */
async function checkChain(
  { database, key, onProblem }: Pick<VerifyOptions, 'database' | 'key' | 'onProblem'>,
  tenant: string,
): Promise<number> {
  let previous: StoredSeal | undefined;
  let count = 0;
  for (;;) {
    const page = await selectSeals(database, tenant, previous?.number ?? -1, PAGE_SIZE);
    for (const seal of page) {
      const report = (kind: TrailProblem['kind'], detail: string) =>
        onProblem({ kind, tenantId: tenant || undefined, seal: seal.number, detail });
      const expected: number = (previous?.number ?? 0) + 1;
      if (seal.number !== expected) report('seal-removed', `follows seal ${expected - 1}`);
      else if (!isSame(macOf(key, seal, previous?.mac), seal.mac)) report('seal-changed', 'has a wrong MAC');
      const { removal } = seal;
      if (removal && !isSame(removalMacOf(key, seal, removal), removal.mac))
        report('seal-changed', 'has a wrong MAC of the removal of its records');
      else if (removal && removal.removedAt - seal.newestAt < removal.keptMs)
        report('seal-changed', 'lost its records before the end of the retention');
      previous = seal;
    }
    count += page.length;
    if (page.length < PAGE_SIZE) return count;
  }
}

/** Returns consecutive batches with few records together. */
function partsOf(batches: readonly StoredSeal[]): readonly (readonly StoredSeal[])[] {
  const parts: StoredSeal[][] = [];
  for (const batch of batches) {
    const part = parts.at(-1);
    const isNext = part !== undefined && part.at(-1)!.lastSequence + 1 === batch.firstSequence;
    if (isNext && batch.lastSequence - part[0]!.firstSequence < PART_SIZE) part.push(batch);
    else parts.push([batch]);
  }
  return parts;
}

interface PartFindings extends Omit<SealFindings, 'problems'> {
  readonly problems: TrailProblem[];
}

async function checkPart(
  database: Database,
  batches: readonly StoredSeal[],
  checkSeal: ReturnType<typeof createCheckSeal>,
): Promise<PartFindings> {
  const last = batches.at(-1)!.lastSequence;
  // A batch that was changed can name any range.
  const range = { first: Math.max(batches[0]!.firstSequence, last - 2 * PART_SIZE + 1), last };
  // The records first: the retention can remove some meanwhile, and the seals then say so.
  const records = await selectRecordsIn(database, range, 2 * PART_SIZE);
  const seals = await selectSealsIn(database, range);
  const bySeal = new Map<StoredSeal, typeof records>(seals.map((seal) => [seal, []]));
  const found: PartFindings = { problems: [], records: records.length, removed: 0, erased: 0 };
  let next = 0;
  for (const record of records) {
    while (next < seals.length && seals[next]!.lastSequence < record.sequence) next += 1;
    const seal = seals[next];
    const isCovered = seal && record.sequence >= seal.firstSequence && (record.tenantId ?? '') === seal.tenant;
    if (isCovered) bySeal.get(seal)!.push(record);
    else found.problems.push(insertedRecord(record));
  }
  for (const [seal, ofSeal] of bySeal) {
    const { problems, removed, erased } = await checkSeal(seal, ofSeal);
    found.problems.push(...problems);
    found.removed += removed;
    found.erased += erased;
  }
  for (const batch of batches) {
    const ofBatch = seals.filter((seal) => isWithin(seal, batch));
    if (isSame(digestOfSeals(ofBatch), batch.digest)) continue;
    const detail = 'does not fit the seals of its tenants: one was changed, removed or inserted';
    found.problems.push({ kind: 'seal-changed', tenantId: EVERY_TENANT, seal: batch.number, detail });
  }
  return found;
}

function isWithin(seal: StoredSeal, batch: StoredSeal): boolean {
  return seal.firstSequence >= batch.firstSequence && seal.lastSequence <= batch.lastSequence;
}

/** Reports records with places that no batch has given. */
async function checkOutside(database: Database, onProblem: (problem: TrailProblem) => void): Promise<void> {
  const ranges: (() => Promise<Range>)[] = [
    async () => ({ first: (await lastSequence(database, database, 'old')) + 1, last: -1 }),
    async () => ({ first: (await lastSequence(database, database, 'new')) + 1, last: Number.MAX_SAFE_INTEGER }),
  ];
  for (const rangeOf of ranges) {
    const found = await selectRecordsIn(database, await rangeOf(), PAGE_SIZE);
    // A batch can have been sealed meanwhile.
    const { first } = found.length === 0 ? { first: 0 } : await rangeOf();
    for (const record of found.filter(({ sequence }) => sequence >= first)) onProblem(insertedRecord(record));
  }
  for (const record of await selectRecordsBeyond(database, PAGE_SIZE)) onProblem(insertedRecord(record));
}

function insertedRecord({ tenantId, sequence, id }: { tenantId: string | undefined; sequence: number; id: string }) {
  return { kind: 'inserted', tenantId, sequence, id, detail: 'has no seal' } as const;
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
