// What can be seen before something is done, and again after it.
import { NOT_SERVED } from './answer.ts';
import type { Finding } from './finding.ts';
import { isShown } from './judge.ts';
import type { Expectation } from './line.ts';
import type { By, Operation } from './operation.ts';
import { kindsOf } from './probe-kinds.ts';
import type { Kind, Known, Records } from './records.ts';

interface Sight {
  readonly whole: string;
  /** Whether there was anything to be seen. */
  readonly shown: boolean;
  readonly operation: Pick<Finding, 'surface' | 'operation'>;
}

/** Answers by what was asked. */
export type Snapshots = ReadonlyMap<string, Sight>;

/** Asks in the name of the records' owner for all that others are denied. Without it, a denial would prove nothing. */
export function snapshotAsOwner(operations: readonly Operation<any>[], records: Known): Promise<Snapshots> {
  return look(operations, ['hidden', 'nothing'], records, 'other');
}

/** Asks for the caller's own lists and figures. */
export function lookAtOwn(operations: readonly Operation<any>[], records: Known): Promise<Snapshots> {
  return look(operations, ['own'], records, 'own');
}

async function look(
  operations: readonly Operation<any>[],
  expectations: readonly Expectation[],
  known: Known,
  by: By,
): Promise<Snapshots> {
  const sights = new Map<string, Sight>();
  for (const { surface, name, line, send } of operations.filter(({ safe }) => safe)) {
    for (const [index, probe] of (line?.probes ?? []).entries()) {
      const { kinds, ownKinds } = kindsOf(probe);
      const isKnown = [...kinds, ...ownKinds].every((kind: Kind) => known[kind] !== undefined);
      if (!isKnown || !expectations.includes(probe.expectation)) continue;
      const records = known as Records;
      const answer = await send(probe.request(records, records), by);
      if (answer.outcome === NOT_SERVED) continue;
      const shown = isShown(answer, { expectation: probe.expectation, surface, kinds });
      const sight = { whole: answer.whole, shown, operation: { surface, operation: name } };
      sights.set(`${surface} ${name} ${index}`, sight);
    }
  }
  return sights;
}

/** What two looks come to. `asked` says what they were for, `changed` what it means that they differ. */
export function compareSights(before: Snapshots, after: Snapshots, asked: string, changed: string): Finding[] {
  return [...before].map(([key, { whole, shown, operation }]) => {
    const finding = { ...operation, asked };
    if (!shown)
      return { ...finding, verdict: 'failed', detail: 'there is nothing to be seen, so that nothing is proved' };
    const same = after.get(key)?.whole === whole;
    return same ? { ...finding, verdict: 'passed', detail: '' } : { ...finding, verdict: 'failed', detail: changed };
  });
}
