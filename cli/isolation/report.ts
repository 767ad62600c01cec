// What a run comes to, for a person.
import { isFailure, type Finding, type Verdict } from './finding.ts';
import type { Report } from './isolation.ts';

/** The gravest first: what an operation with several findings is called. */
const GRAVITY: readonly Verdict[] = ['failed', 'uncovered', 'skipped', 'not-served', 'passed', 'not-applicable'];

const WORDS: Readonly<Record<Verdict, string>> = {
  failed: 'FAILED',
  uncovered: 'NOT COVERED',
  skipped: 'part',
  'not-served': 'not served',
  passed: 'passed',
  'not-applicable': '-',
};

/** What every operation is asked beside its own. */
const SAID_BY_ALL = ['shown to its owner', 'unmoved'];

/** One line for each operation, every failure below its own, and the sum of it. */
export function reportText({ findings, missing, left }: Report, rpcChecked: boolean): string {
  const operations = Map.groupBy(findings, ({ surface, operation }) => `${surface}  ${operation}`);
  const width = Math.max(...[...operations.keys()].map(({ length }) => length));
  const rows = [...operations].flatMap(([name, each]) => rowsOf(name.padEnd(width), each));
  const failures = findings.filter(isFailure);
  const passed = findings.filter(({ verdict }) => verdict === 'passed');
  return [
    ...rows,
    '',
    ...missing.map((reason) => `Not made, so not asked for: ${reason}`),
    ...(rpcChecked ? [] : ['RPCs were not checked: --rpc names no target']),
    ...left.map((record) => `Left behind: ${record}`),
    `${operations.size} operations, ${passed.length} checks passed, ${failures.length} failed`,
    '',
  ].join('\n');
}

function rowsOf(name: string, findings: readonly Finding[]): string[] {
  const gravest = GRAVITY.find((verdict) => findings.some((finding) => finding.verdict === verdict))!;
  const passed = findings.filter(({ verdict }) => verdict === 'passed');
  const asked = [...new Set(passed.map(({ asked }) => asked))].filter((text) => !SAID_BY_ALL.includes(text));
  const remark = gravest === 'not-applicable' || gravest === 'not-served' ? findings[0]!.detail : asked.join('; ');
  const unresolved = findings.filter((finding) => isFailure(finding) || finding.verdict === 'skipped');
  return [
    `${name}  ${WORDS[gravest].padEnd(11)}  ${remark}`.trimEnd(),
    ...new Set(
      unresolved.map(({ asked, detail }) => `      ${[asked, detail].filter((text) => text !== '').join(': ')}`),
    ),
  ];
}
