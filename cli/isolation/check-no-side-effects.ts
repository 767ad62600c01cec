import { isFailure, type Finding } from './finding.ts';
import { makeRecords, type Making } from './make.ts';
import type { Operation } from './operation.ts';
import type { Party } from './party.ts';
import type { Known } from './records.ts';
import { compareSights, lookAtOwn } from './snapshots.ts';

/** Others may change what a tenant sees in the same moment; they hardly do so each time. */
const TRIES = 3;

export interface Unnoticed extends Making {
  readonly findings: readonly Finding[];
}

/** Makes the other tenant's records, and looks whether a list, a total or a figure of the caller's moves by that. */
export async function checkNoSideEffects(
  operations: readonly Operation<any>[],
  own: Known,
  other: Party,
): Promise<Unnoticed> {
  const makings: Making[] = [];
  const undo = async () => {
    const left: string[] = [];
    for (const making of makings.toReversed()) left.push(...(await making.undo()));
    return left;
  };
  let findings: Finding[] = [];
  try {
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const before = await lookAtOwn(operations, own);
      makings.push(await makeRecords(other, attempt === 0 ? 'all' : 'own'));
      const after = await lookAtOwn(operations, own);
      findings = compareSights(before, after, 'unmoved', "moves with another tenant's records");
      if (!findings.some(isFailure)) break;
    }
  } catch (error) {
    await undo();
    throw error;
  }
  return { ...makings[0]!, findings, undo };
}
