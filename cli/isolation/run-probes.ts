// Asks for another tenant's records by every operation there is.
import { NOT_SERVED, type Answer } from './answer.ts';
import type { Finding, Verdict } from './finding.ts';
import { differenceOf, leaksOf, objectionTo, type Asked } from './judge.ts';
import type { Expectation, Probe } from './line.ts';
import type { Operation } from './operation.ts';
import { choices, kindsOf, type ProbeKinds } from './probe-kinds.ts';
import { missingLike, type Kind, type Known, type Records, type Sides } from './records.ts';
import { compareSights, snapshotAsOwner } from './snapshots.ts';

interface World extends Sides {
  /** Names of no record. */
  readonly missing: Known;
}

/** Of a list that others write to, two answers in a row may differ by themselves. */
const TRIES = 3;

/** Walks all operations one after another, and looks at the other tenant's records before and after. */
export async function walk(operations: readonly Operation<any>[], sides: Sides): Promise<Finding[]> {
  const world = { ...sides, missing: missingLike(sides.foreign) };
  const before = await snapshotAsOwner(operations, sides.foreign);
  const findings: Finding[] = [];
  for (const operation of operations) findings.push(...(await examine(operation, world)));
  const after = await snapshotAsOwner(operations, sides.foreign);
  return [...findings, ...compareSights(before, after, 'shown to its owner', 'not as it was before for its owner')];
}

async function examine<Request>(operation: Operation<Request>, world: World): Promise<Finding[]> {
  const { line, ids } = operation;
  const find = (verdict: Verdict, detail: string) => findingOn(operation, verdict, '', detail);
  if (line === undefined) return [find('uncovered', 'no line in cli/isolation/cases says how to ask it')];

  const findings: Finding[] = line.open === undefined ? [] : [find('not-applicable', line.open)];
  const probes = line.probes.map((probe) => ({ probe, named: kindsOf(probe) }));
  const asked = probes.flatMap(({ named }) => operation.differences(...named.examples));
  const unasked = ids.filter((id) => !asked.includes(id));
  findings.push(...unasked.map((id) => find('uncovered', `no line asks with another tenant's ${id}`)));
  for (const { probe, named } of probes) findings.push(...(await ask(operation, probe, named, world)));
  return findings;
}

/** Makes a probe with each choice of the records that it names; what is not chosen is the caller's own. */
async function ask<Request>(
  operation: Operation<Request>,
  probe: Probe<Request>,
  { kinds, ownKinds }: ProbeKinds<Request>,
  { own, foreign, missing }: World,
): Promise<Finding[]> {
  const lacking = [
    ...kinds.filter((kind) => foreign[kind] === undefined).map((kind) => `no ${kind} to ask for`),
    ...ownKinds.filter((kind) => own[kind] === undefined).map((kind) => `no ${kind} of one's own`),
  ];
  const find = (verdict: Verdict, chosen: readonly Kind[], detail: string) =>
    findingOn(operation, verdict, labelOf(probe.expectation, chosen), detail);
  if (lacking.length > 0) return [find('skipped', kinds, `there is ${lacking.join(' and ')}`)];

  const findings: Finding[] = [];
  for (const chosen of choices(kinds)) {
    const rest = kinds.filter((kind) => !chosen.includes(kind));
    if (rest.some((kind) => own[kind] === undefined)) continue;
    const asked: Asked = { expectation: probe.expectation, surface: operation.surface, kinds: chosen };
    const requestOf = (side: Known) => probe.request({ ...own, ...pick(side, chosen) } as Records, own as Records);
    const others = counterparts(asked, own, missing);
    const count = probe.expectation === 'hidden' ? operation.variants(requestOf(foreign)).length : 1;
    for (let index = 0; index < count; index += 1) {
      const send = (side: Known) => operation.send(operation.variants(requestOf(side))[index]!, 'own');
      const wrong = await complaint(asked, send, { own, foreign }, others);
      if (wrong === NOT_SERVED) return [find('not-served', chosen, '')];
      findings.push(find(wrong === undefined ? 'passed' : 'failed', chosen, wrong ?? ''));
    }
  }
  return findings;
}

/** Whose names the same answer must come to: nobody's and, where a tenant's list is asked for, the caller's own. */
function counterparts({ expectation, kinds }: Asked, own: Known, missing: Known): Known[] {
  if (kinds.length === 0) return [];
  return expectation === 'own' && kinds.join() === 'tenant' ? [missing, own] : [missing];
}

/** What is wrong with the answers; undefined where nothing is. */
async function complaint(
  asked: Asked,
  send: (side: Known) => Promise<Answer>,
  sides: Sides,
  others: readonly Known[],
): Promise<string | undefined> {
  let wrong: string | undefined;
  for (let attempt = 0; attempt < (asked.expectation === 'own' ? TRIES : 1); attempt += 1) {
    wrong = await complaintOnce(asked, send, sides, others);
    if (wrong === undefined || wrong === NOT_SERVED) break;
  }
  return wrong;
}

async function complaintOnce(
  asked: Asked,
  send: (side: Known) => Promise<Answer>,
  sides: Sides,
  others: readonly Known[],
): Promise<string | undefined> {
  const answer = await send(sides.foreign);
  if (answer.outcome === NOT_SERVED) return NOT_SERVED;
  const objection = objectionTo(answer, asked);
  if (objection !== undefined) return objection;
  const leaks = leaksOf(answer, sides, asked);
  if (asked.expectation === 'own' && leaks.length > 0) return `shows ${leaks.join(', ')} of the other tenant`;
  for (const other of others) {
    const difference = differenceOf(answer, sides.foreign, await send(other), other, asked);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function labelOf(expectation: Expectation, kinds: readonly Kind[]): string {
  return kinds.length === 0 ? expectation : `${expectation}: ${kinds.join(', ')}`;
}

function pick(side: Known, kinds: readonly Kind[]): Known {
  return Object.fromEntries(kinds.map((kind) => [kind, side[kind]]));
}

function findingOn(
  { surface, name }: Pick<Operation<never>, 'surface' | 'name'>,
  verdict: Verdict,
  asked: string,
  detail: string,
): Finding {
  return { surface, operation: name, verdict, asked, detail };
}
