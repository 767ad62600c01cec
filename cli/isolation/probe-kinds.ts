import type { Probe } from './line.ts';
import type { Kind, Records } from './records.ts';

/** What a probe's request is made of. */
export interface ProbeKinds<Request> {
  /** The kinds of records that it names as the other tenant's. */
  readonly kinds: readonly Kind[];
  /** Those that it names as the caller's own. */
  readonly ownKinds: readonly Kind[];
  /** Two requests that differ in the names of the other tenant's records, and in nothing else. */
  readonly examples: readonly [Request, Request];
}

/** Finds out by making requests of made-up names. */
export function kindsOf<Request>({ request }: Probe<Request>): ProbeKinds<Request> {
  const kinds = new Set<Kind>();
  const ownKinds = new Set<Kind>();
  const example = (name: string) => request(madeUp(name, kinds), madeUp('own', ownKinds));
  const examples = [example('one'), example('other')] as const;
  return { kinds: [...kinds], ownKinds: [...ownKinds], examples };
}

function madeUp(name: string, asked: Set<Kind>): Records {
  return new Proxy({} as Records, {
    get(_target, kind: Kind) {
      asked.add(kind);
      return kind === 'file' ? { date: '2026-01-31', uuid: name } : name;
    },
  });
}

/** Every way to choose some of several, all of them first, none left out. */
export function choices<T>(of: readonly T[]): T[][] {
  if (of.length === 0) return [[]];
  const all = of.reduce<T[][]>((chosen, each) => chosen.flatMap((some) => [[...some, each], some]), [[]]);
  return all.filter((some) => some.length > 0);
}
