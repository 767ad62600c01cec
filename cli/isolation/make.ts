// The records that are made to be asked for, and what becomes of them afterwards.
import { makeClient, makeUser } from './make-accounts.ts';
import { makeCustomer, makeFile, makeImage, makeOrder, makePhotographedOrder, makeProduct } from './make-business.ts';
import type { Party } from './party.ts';
import { randomText, type Known } from './records.ts';
import { NotMadeError, type Made, type Step } from './step.ts';

/** What a request to another tenant's records may need of the caller's own. */
const OWN: readonly Step[] = [makeProduct, makeCustomer, makeOrder, makeClient];

/** One record of each kind. */
const ALL: readonly Step[] = [...OWN, makeFile, makeImage, makePhotographedOrder, makeUser];

export interface Making {
  readonly records: Known;
  /** Why some are missing, for a person. */
  readonly missing: readonly string[];
  /** Removes them as far as they can be removed; returns what stays, for a person. */
  undo(): Promise<readonly string[]>;
}

/** Makes records in a tenant: of each kind, or only those that requests to other records need. */
export async function makeRecords(party: Party, extent: 'all' | 'own'): Promise<Making> {
  const { tenantId: tenant, accountId: administrator } = party;
  const missing: string[] = [];
  const undoing: NonNullable<Made['undo']>[] = [];
  const undo = () => undoAll(undoing);
  let records: Known = { tenant, administrator, mark: `isolation-${randomText(12)}` };
  for (const step of extent === 'all' ? ALL : OWN) {
    try {
      const made = await step(party, records);
      records = { ...records, ...made.records };
      if (made.undo) undoing.push(made.undo);
    } catch (error) {
      if (!(error instanceof NotMadeError)) await undo();
      if (!(error instanceof NotMadeError)) throw error;
      missing.push(error.message);
    }
  }
  return { records, missing, undo };
}

/** The last first: what was made of others goes before them. */
async function undoAll(undoing: readonly NonNullable<Made['undo']>[]): Promise<string[]> {
  const left: string[] = [];
  for (const undo of undoing.toReversed()) {
    const stays = await undo().catch((error: unknown) => String(error));
    if (stays !== undefined) left.push(stays);
  }
  return left;
}
