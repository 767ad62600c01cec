import { isFailure, type Finding } from './finding.ts';
import { makeRecords, type CreatedRecords } from './make-records.ts';
import type { Operation } from './operation.ts';
import type { Party } from './party.ts';
import type { PartialRecords } from './records.ts';
import { compareSnapshots, snapshotAsCaller } from './snapshots.ts';

/** Other clients may change the tenant's data between two snapshots. That is unlikely in every attempt. */
const MAX_ATTEMPTS = 3;

export interface SideEffectCheck extends CreatedRecords {
  readonly findings: readonly Finding[];
}

/** Creates the other tenant's records, and checks that no list, total or statistic of the caller changes. */
export async function checkNoSideEffects(
  operations: readonly Operation<any>[],
  own: PartialRecords,
  other: Party,
): Promise<SideEffectCheck> {
  const created: CreatedRecords[] = [];
  const undo = async () => {
    const left: string[] = [];
    for (const records of created.toReversed()) left.push(...(await records.undo()));
    return left;
  };
  let findings: Finding[] = [];
  try {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const before = await snapshotAsCaller(operations, own);
      created.push(await makeRecords(other, attempt === 0 ? 'all' : 'own'));
      const after = await snapshotAsCaller(operations, own);
      findings = compareSnapshots(before, after, 'unchanged', "changed when another tenant's records were created");
      if (!findings.some(isFailure)) break;
    }
  } catch (error) {
    await undo();
    throw error;
  }
  return { ...created[0]!, findings, undo };
}
