// Calls all operations with ids of another tenant's records.
import { NOT_SERVED, type OperationResponse, type Finding, type Verdict, type Operation } from './operation.ts';
import { describeDifference, findLeaks, findProblem, type ProbeInfo } from './check-response.ts';
import { type Expectation, type Probe, choices, kindsOf, type ProbeKinds } from './probe-case.ts';
import { missingLike, type Kind, type PartialRecords, type Records, type TenantRecords } from './records.ts';
import { compareSnapshots, snapshotAsOwner } from './snapshots.ts';

interface ProbeRecords extends TenantRecords {
  /** Ids of missing records. */
  readonly absent: PartialRecords;
}

/** Two responses of a list may differ because other clients write to it. That is unlikely in every attempt. */
const MAX_ATTEMPTS = 3;

/** Probes all operations one after another. Compares the other tenant's records before and after. */
export async function runProbes(operations: readonly Operation<any>[], sides: TenantRecords): Promise<Finding[]> {
  const records = { ...sides, absent: missingLike(sides.foreign) };
  const before = await snapshotAsOwner(operations, sides.foreign);
  const findings: Finding[] = [];
  for (const operation of operations) findings.push(...(await examine(operation, records)));
  const after = await snapshotAsOwner(operations, sides.foreign);
  return [...findings, ...compareSnapshots(before, after, 'visible to its owner', 'changed for its owner')];
}

async function examine<Request>(operation: Operation<Request>, records: ProbeRecords): Promise<Finding[]> {
  const { probeCase, ids } = operation;
  const find = (verdict: Verdict, detail: string) => findingOn(operation, verdict, '', detail);
  if (probeCase === undefined)
    return [
      find(
        'uncovered',
        'cli/isolation/examples contains no example of it, and no POST route of a module creates its records',
      ),
    ];

  const findings: Finding[] =
    probeCase.notApplicable === undefined ? [] : [find('not-applicable', probeCase.notApplicable)];
  const probes = probeCase.probes.map((probe) => ({ probe, named: kindsOf(probe) }));
  const asked = probes.flatMap(({ named }) => operation.differences(...named.examples));
  const unasked = ids.filter((id) => !asked.includes(id));
  findings.push(...unasked.map((id) => find('uncovered', `no probe sends another tenant's ${id}`)));
  for (const { probe, named } of probes) findings.push(...(await ask(operation, probe, named, records)));
  return findings;
}

/** Sends a probe with each subset of its records from the other tenant. All other records are the caller's own. */
async function ask<Request>(
  operation: Operation<Request>,
  probe: Probe<Request>,
  { kinds, ownKinds }: ProbeKinds<Request>,
  { own, foreign, absent }: ProbeRecords,
): Promise<Finding[]> {
  const missingKinds = [
    ...kinds.filter((kind) => foreign[kind] === undefined).map((kind) => `no ${kind} of the other tenant`),
    ...ownKinds.filter((kind) => own[kind] === undefined).map((kind) => `no ${kind} of the caller`),
  ];
  const find = (verdict: Verdict, chosen: readonly Kind[], detail: string) =>
    findingOn(operation, verdict, labelOf(probe.expectation, chosen), detail);
  if (missingKinds.length > 0) return [find('skipped', kinds, `there is ${missingKinds.join(' and ')}`)];

  const findings: Finding[] = [];
  for (const chosen of choices(kinds)) {
    const rest = kinds.filter((kind) => !chosen.includes(kind));
    if (rest.some((kind) => own[kind] === undefined)) continue;
    const asked: ProbeInfo = { expectation: probe.expectation, surface: operation.surface, kinds: chosen };
    const requestOf = (side: PartialRecords) =>
      probe.request({ ...own, ...pick(side, chosen) } as Records, own as Records);
    const others = counterparts(asked, own, absent);
    const count = probe.expectation === 'hidden' ? operation.variants(requestOf(foreign)).length : 1;
    for (let index = 0; index < count; index += 1) {
      const send = (side: PartialRecords) => operation.send(operation.variants(requestOf(side))[index]!, 'own');
      const wrong = await checkResponses(asked, send, { own, foreign }, others);
      if (wrong === NOT_SERVED) return [find('not-served', chosen, '')];
      findings.push(find(wrong === undefined ? 'passed' : 'failed', chosen, wrong ?? ''));
    }
  }
  return findings;
}

/** The id of the record is a secret, so the response may differ from that for a missing record. */
const WITH_SECRET: readonly Expectation[] = ['disclosed', 'unserved'];

/** Returns the ids with which the response must be the same: missing ids, and for a tenant's list also the caller's own. */
function counterparts(
  { expectation, kinds }: ProbeInfo,
  own: PartialRecords,
  absent: PartialRecords,
): PartialRecords[] {
  if (kinds.length === 0 || WITH_SECRET.includes(expectation)) return [];
  return expectation === 'own' && kinds.join() === 'tenant' ? [absent, own] : [absent];
}

/** Returns the problem of the responses, or undefined. */
async function checkResponses(
  asked: ProbeInfo,
  send: (side: PartialRecords) => Promise<OperationResponse>,
  sides: TenantRecords,
  others: readonly PartialRecords[],
): Promise<string | undefined> {
  let wrong: string | undefined;
  for (let attempt = 0; attempt < (asked.expectation === 'own' ? MAX_ATTEMPTS : 1); attempt += 1) {
    wrong = await checkResponsesOnce(asked, send, sides, others);
    if (wrong === undefined || wrong === NOT_SERVED) break;
  }
  return wrong;
}

async function checkResponsesOnce(
  asked: ProbeInfo,
  send: (side: PartialRecords) => Promise<OperationResponse>,
  sides: TenantRecords,
  others: readonly PartialRecords[],
): Promise<string | undefined> {
  const response = await send(sides.foreign);
  if (response.outcome === NOT_SERVED) return NOT_SERVED;
  const problem = findProblem(response, asked);
  if (problem !== undefined) return problem;
  const leaks = findLeaks(response, sides, asked);
  if (asked.expectation === 'own' && leaks.length > 0) return `contains ${leaks.join(', ')} of the other tenant`;
  for (const other of others) {
    const difference = describeDifference(response, sides.foreign, await send(other), other, asked);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function labelOf(expectation: Expectation, kinds: readonly Kind[]): string {
  return kinds.length === 0 ? expectation : `${expectation}: ${kinds.join(', ')}`;
}

function pick(side: PartialRecords, kinds: readonly Kind[]): PartialRecords {
  return Object.fromEntries(kinds.map((kind) => [kind, side[kind]])) as PartialRecords;
}

function findingOn(
  { surface, name }: Pick<Operation<never>, 'surface' | 'name'>,
  verdict: Verdict,
  asked: string,
  detail: string,
): Finding {
  return { surface, operation: name, verdict, asked, detail };
}
