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
      if (!(error instanceof StepSkippedError)) {
        const remaining = await undo();
        if (remaining.length === 0) throw error;
        throw new Error(`${String(error)}; these records could not be deleted: ${remaining.join(', ')}`, {
          cause: error,
        });
      }
      missing.push(error.message);
    }
  }
  return { records, missing, undo };
}

/** Deletes in reverse order, because later records depend on earlier ones. Returns the records that could not be deleted. */
async function undoAll(undoSteps: readonly NonNullable<StepResult['undo']>[]): Promise<string[]> {
  const remaining: string[] = [];
  for (const undo of undoSteps.toReversed()) {
    const failed = await undo().catch((error: unknown) => String(error));
    if (failed !== undefined) remaining.push(failed);
  }
  return remaining;
}
