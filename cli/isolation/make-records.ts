// Creates the records for the check, and deletes them afterwards.
import { makeClient, makeUser } from './make-accounts.ts';
import { makeCustomer, makeFile, makeImage, makeOrder, makePhotographedOrder, makeProduct } from './make-business.ts';
import type { Party } from './party.ts';
import { randomText, type PartialRecords } from './records.ts';
import { StepSkippedError, type StepResult, type Step } from './step.ts';

/** Records of the caller that requests need in addition to another tenant's record. */
const OWN: readonly Step[] = [makeProduct, makeCustomer, makeOrder, makeClient];

/** One record of each kind. */
const ALL: readonly Step[] = [...OWN, makeFile, makeImage, makePhotographedOrder, makeUser];

export interface CreatedRecords {
  readonly records: PartialRecords;
  /** Reasons why records could not be created, for people. */
  readonly missing: readonly string[];
  /** Deletes the records as far as possible. Returns descriptions of the remaining ones. */
  undo(): Promise<readonly string[]>;
}

/** Creates records in a tenant: `all` of each kind, `own` only those that requests for another tenant's records need. */
export async function makeRecords(party: Party, extent: 'all' | 'own'): Promise<CreatedRecords> {
  const { tenantId: tenant, accountId: administrator } = party;
  const missing: string[] = [];
  const undoSteps: NonNullable<StepResult['undo']>[] = [];
  const undo = () => undoAll(undoSteps);
  let records: PartialRecords = { tenant, administrator, mark: `isolation-${randomText(12)}` };
  for (const step of extent === 'all' ? ALL : OWN) {
    try {
      const made = await step(party, records);
      records = { ...records, ...made.records };
      if (made.undo) undoSteps.push(made.undo);
    } catch (error) {
      if (!(error instanceof StepSkippedError)) await undo();
      if (!(error instanceof StepSkippedError)) throw error;
      missing.push(error.message);
    }
  }
  return { records, missing, undo };
}

/** Deletes in reverse order, because later records depend on earlier ones. */
async function undoAll(undoSteps: readonly NonNullable<StepResult['undo']>[]): Promise<string[]> {
  const left: string[] = [];
  for (const undo of undoSteps.toReversed()) {
    const stays = await undo().catch((error: unknown) => String(error));
    if (stays !== undefined) left.push(stays);
  }
  return left;
}
