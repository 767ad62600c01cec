// Verifies the records of one seal.
import { createSecretKey } from 'node:crypto';
import type { Database } from '../../../platform/db/types.ts';
import { checkRecord } from './record-seal.ts';
import { digestOfRecords } from './seal-chain.ts';
import type { StoredSeal } from './seal-store.ts';
import { isErasedAccount, type SealedRecord } from './verify-store.ts';

/** A deviation of the trail from its seals. */
export interface TrailProblem {
  /** Of a record, `changed` also means a wrong place. `cut` is a seal that a head names. */
  readonly kind: 'changed' | 'removed' | 'inserted' | 'seal-changed' | 'seal-removed' | 'cut';
  /** Undefined for records without a tenant, `*` for the seal of a batch. */
  readonly tenantId: string | undefined;
  /** The place of a record, or of the first of several that are missing. */
  readonly sequence?: number;
  /** The place of the last one, if several consecutive records are missing. */
  readonly lastSequence?: number;
  /** The number of a seal. */
  readonly seal?: number;
  /** The id of a record that is still there. */
  readonly id?: string;
  readonly detail: string;
}

export interface SealFindings {
  readonly problems: readonly TrailProblem[];
  readonly records: number;
  removed: number;
  erased: number;
}

interface CheckOptions {
  readonly database: Database;
  readonly key: Uint8Array;
  /** The place of the last record that says that a tenant was erased. */
  readonly erasedTenants: ReadonlyMap<string, number>;
}

/** Limits the memory for accounts. */
const MAX_ACCOUNTS = 10_000;

/** Returns a function that checks the records of a seal, in their order. */
export function createCheckSeal({ database, key, erasedTenants }: CheckOptions) {
  const secretKey = createSecretKey(key);
  const accounts = new Map<string, boolean>();

  async function isErased(tenantId: string | undefined, accountId: string | undefined): Promise<boolean> {
    if (accountId === undefined) return false;
    const known = accounts.get(accountId);
    if (known !== undefined) return known;
    const found = await isErasedAccount(database, tenantId, accountId);
    if (accounts.size >= MAX_ACCOUNTS) accounts.clear();
    accounts.set(accountId, found);
    return found;
  }

  /** Returns why a record does not fit its seal; undefined if it does. */
  async function whyChanged(record: SealedRecord): Promise<{ readonly detail: string } | { readonly erased: boolean }> {
    const { sequence, seal } = record;
    const { isGenuine, isUsernameErased, isAddressErased } = checkRecord(secretKey, record, sequence, seal);
    if (!isGenuine) return { detail: 'was changed' };
    const { tenantId, accountId, actorId } = record;
    if (isUsernameErased && !(await isErased(tenantId, accountId)))
      return { detail: 'lost its username, but no record says that its account was erased' };
    if (isAddressErased && !(await isErased(tenantId, accountId)) && !(await isErased(tenantId, actorId)))
      return { detail: 'lost its address, but no record says that an account was erased' };
    return { erased: isUsernameErased || isAddressErased };
  }

  return async (seal: StoredSeal, records: readonly SealedRecord[]): Promise<SealFindings> => {
    const tenantId = seal.tenant || undefined;
    const problems: TrailProblem[] = [];
    const findings = { problems, records: records.length, removed: 0, erased: 0 };
    const size = seal.lastSequence - seal.firstSequence + 1;
    const isRemovalRecorded =
      seal.removal !== undefined || (erasedTenants.get(seal.tenant) ?? -Infinity) > seal.lastSequence;
    if (isRemovalRecorded && records.length === 0) return { ...findings, removed: size };
    const seals: Uint8Array[] = [];
    let expected = seal.firstSequence;
    // One problem, however many: a changed seal can name any range.
    const reportRemoved = (until: number) => {
      const count = until - expected;
      if (count <= 0) return;
      const [more, detail] = count === 1 ? [{}, 'is missing'] : [{ lastSequence: until - 1 }, 'are missing'];
      problems.push({ kind: 'removed', tenantId, sequence: expected, ...more, detail });
    };
    for (const record of records) {
      const { sequence, id } = record;
      reportRemoved(sequence);
      if (sequence < expected) {
        problems.push({ kind: 'inserted', tenantId, sequence, id, detail: 'has the place of another record' });
        continue;
      }
      expected = sequence + 1;
      const state = await whyChanged(record);
      if ('detail' in state) problems.push({ kind: 'changed', tenantId, sequence, id, detail: state.detail });
      else if (state.erased) findings.erased += 1;
      if (record.seal) seals.push(record.seal);
    }
    reportRemoved(seal.lastSequence + 1);
    if (problems.length === 0 && !digestOfRecords(seals).equals(seal.digest))
      problems.push({ kind: 'seal-changed', tenantId, seal: seal.number, detail: 'does not fit its records' });
    return findings;
  };
}
