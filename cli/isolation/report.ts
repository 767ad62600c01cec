// What a run comes to, for a person.
import { isFailure, type Finding, type Verdict } from './finding.ts';
import type { Report } from './isolation.ts';

/** The gravest first: what an operation with several findings is called. */
const GRAVITY: readonly Verdict[] = ['broken', 'uncovered', 'skipped', 'absent', 'held', 'open'];

const WORDS: Readonly<Record<Verdict, string>> = {
  broken: 'BROKEN',
  uncovered: 'NOT COVERED',
  skipped: 'part',
  absent: 'not served',
  held: 'held',
  open: '-',
};

/** What every operation is asked beside its own. */
const SAID_BY_ALL = ['shown to its owner', 'unmoved'];

/** One line for each operation, every failure below its own, and the sum of it. */
export function reportText({ findings, missing, left }: Report, rpcChecked: boolean): string {
  const operations = Map.groupBy(findings, ({ surface, operation }) => `${surface}  ${operation}`);
  const width = Math.max(...[...operations.keys()].map(({ length }) => length));
  const rows = [...operations].flatMap(([name, each]) => rowsOf(name.padEnd(width), each));
  const failures = findings.filter(isFailure);
  const held = findings.filter(({ verdict }) => verdict === 'held');
  return [
    ...rows,
    '',
    ...missing.map((reason) => `Not made, so not asked for: ${reason}`),
    ...(rpcChecked ? [] : ['RPCs were not checked: --rpc names no target']),
    ...left.map((record) => `Left behind: ${record}`),
    `${operations.size} operations, ${held.length} checks held, ${failures.length} failed`,
    '',
  ].join('\n');
}

function rowsOf(name: string, findings: readonly Finding[]): string[] {
  const gravest = GRAVITY.find((verdict) => findings.some((finding) => finding.verdict === verdict))!;
  const held = findings.filter(({ verdict }) => verdict === 'held');
  const asked = [...new Set(held.map(({ asked }) => asked))].filter((text) => !SAID_BY_ALL.includes(text));
  const remark = gravest === 'open' || gravest === 'absent' ? findings[0]!.detail : asked.join('; ');
  const told = findings.filter((finding) => isFailure(finding) || finding.verdict === 'skipped');
  return [
    `${name}  ${WORDS[gravest].padEnd(11)}  ${remark}`.trimEnd(),
    ...new Set(told.map(({ asked, detail }) => `      ${[asked, detail].filter((text) => text !== '').join(': ')}`)),
  ];
}
