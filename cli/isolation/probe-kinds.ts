import type { Probe } from './probe-case.ts';
import type { Kind, Records } from './records.ts';

/** The kinds of records in a probe's request. */
export interface ProbeKinds<Request> {
  /** Kinds of the other tenant's records in the request. */
  readonly kinds: readonly Kind[];
  /** Kinds of the caller's own records in the request. */
  readonly ownKinds: readonly Kind[];
  /** Two requests that differ only in the ids of the other tenant's records. */
  readonly examples: readonly [Request, Request];
}

/** Returns the kinds of records in a probe's request. Builds requests with fake ids and records which ids are read. */
export function kindsOf<Request>({ request }: Probe<Request>): ProbeKinds<Request> {
  const kinds = new Set<Kind>();
  const ownKinds = new Set<Kind>();
  const example = (name: string) => request(fakeRecords(name, kinds), fakeRecords('own', ownKinds));
  const examples = [example('one'), example('other')] as const;
  return { kinds: [...kinds], ownKinds: [...ownKinds], examples };
}

function fakeRecords(name: string, asked: Set<Kind>): Records {
  return new Proxy({} as Records, {
    get(_target, kind: Kind) {
      asked.add(kind);
      return kind === 'file' ? { date: '2026-01-31', uuid: name } : name;
    },
  });
}

/** Returns all non-empty subsets, the full set first. For an empty list, returns one empty subset. */
export function choices<T>(of: readonly T[]): T[][] {
  if (of.length === 0) return [[]];
  const all = of.reduce<T[][]>((chosen, each) => chosen.flatMap((some) => [[...some, each], some]), [[]]);
  return all.filter((some) => some.length > 0);
}
