// Snapshots of responses, to compare them before and after other requests.
import { NOT_SERVED, type Finding, type By, type Operation } from './operation.ts';
import { isVisibleToOwner } from './check-response.ts';
import { type Expectation, kindsOf } from './probe-case.ts';
import type { Kind, PartialRecords, Records } from './records.ts';

interface Snapshot {
  readonly whole: string;
  /** Whether the response contains records. */
  readonly shown: boolean;
  readonly operation: Pick<Finding, 'surface' | 'operation'>;
}

/** Snapshots by operation and probe. */
type Snapshots = ReadonlyMap<string, Snapshot>;

/** Sends the probes as the owner of the records. If the owner got no records, a denial for others would prove nothing. */
export function snapshotAsOwner(operations: readonly Operation<any>[], records: PartialRecords): Promise<Snapshots> {
  return look(operations, ['hidden', 'nothing', 'disclosed'], records, 'other');
}

/** Gets the caller's own lists and statistics. */
export function snapshotAsCaller(operations: readonly Operation<any>[], records: PartialRecords): Promise<Snapshots> {
  return look(operations, ['own'], records, 'own');
}

async function look(
  operations: readonly Operation<any>[],
  expectations: readonly Expectation[],
  known: PartialRecords,
  by: By,
): Promise<Snapshots> {
  const sights = new Map<string, Snapshot>();
  for (const { surface, name, probeCase, send } of operations.filter(({ safe }) => safe)) {
    for (const [index, probe] of (probeCase?.probes ?? []).entries()) {
      const { kinds, ownKinds } = kindsOf(probe);
      const isKnown = [...kinds, ...ownKinds].every((kind: Kind) => known[kind] !== undefined);
      if (!isKnown || !expectations.includes(probe.expectation)) continue;
      const records = known as Records;
      const response = await send(probe.request(records, records), by);
      if (response.outcome === NOT_SERVED) continue;
      const shown = isVisibleToOwner(response, { expectation: probe.expectation, surface, kinds });
      const sight = { whole: response.whole, shown, operation: { surface, operation: name } };
      sights.set(`${surface} ${name} ${index}`, sight);
    }
  }
  return sights;
}

/**
 * Compares two snapshots.
 *
 * @param asked Name of the check.
 * @param changed Detail of the finding if the snapshots differ.
 */
export function compareSnapshots(before: Snapshots, after: Snapshots, asked: string, changed: string): Finding[] {
  return [...before].map(([key, { whole, shown, operation }]) => {
    const finding = { ...operation, asked };
    if (!shown)
      return { ...finding, verdict: 'failed', detail: 'the owner gets no records, so the check proves nothing' };
    const same = after.get(key)?.whole === whole;
    return same ? { ...finding, verdict: 'passed', detail: '' } : { ...finding, verdict: 'failed', detail: changed };
  });
}
