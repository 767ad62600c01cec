// What the owner of the records sees of them: something before, or a denial to others proves nothing, and the same after.
import { NOT_SERVED } from './answer.ts';
import type { Finding } from './finding.ts';
import { isShown } from './judge.ts';
import type { Operation } from './operation.ts';
import { kindsOf } from './probe-kinds.ts';
import type { Kind, Known, Records } from './records.ts';

interface Sight {
  readonly whole: string;
  readonly shown: boolean;
  readonly about: Pick<Finding, 'surface' | 'operation' | 'asked'>;
}

/** Everything that the owner can be shown, by what was asked. */
export type Sights = ReadonlyMap<string, Sight>;

/** Asks in the owner's name for every record that others are denied. */
export async function lookAsOwner(operations: readonly Operation<any>[], records: Known): Promise<Sights> {
  const sights = new Map<string, Sight>();
  for (const { surface, name, safe, line, send } of operations.filter(
    (operation) => operation.safe && operation.line,
  )) {
    for (const [index, probe] of line!.probes.entries()) {
      const { kinds, ownKinds } = kindsOf(probe);
      const known = [...kinds, ...ownKinds].every((kind: Kind) => records[kind] !== undefined);
      if (!safe || !known || !['hidden', 'nothing'].includes(probe.expectation)) continue;
      const answer = await send(probe.request(records as Records, records as Records), 'other');
      if (answer.outcome === NOT_SERVED) continue;
      const asked = { expectation: probe.expectation, surface, kinds };
      const about = { surface, operation: name, asked: `shown to its owner: ${kinds.join(', ')}` };
      sights.set(`${surface} ${name} ${index}`, { whole: answer.whole, shown: isShown(answer, asked), about });
    }
  }
  return sights;
}

/** What two looks come to. */
export function compareSights(before: Sights, after: Sights): Finding[] {
  return [...before].map(([key, { whole, shown, about }]) => {
    const same = after.get(key)?.whole === whole;
    const detail = shown ? 'not as it was before' : 'not shown, so that it proves nothing to be denied it';
    return shown && same ? { ...about, verdict: 'held', detail: '' } : { ...about, verdict: 'broken', detail };
  });
}
