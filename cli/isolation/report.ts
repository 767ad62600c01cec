// The report of a run as text.
import { isFailure, type Finding, type Verdict } from './finding.ts';
import type { Report } from './check-isolation.ts';

/** Verdicts by severity, the worst first. An operation with several findings gets the worst verdict. */
const SEVERITY: readonly Verdict[] = ['failed', 'uncovered', 'skipped', 'not-served', 'passed', 'not-applicable'];

const WORDS: Readonly<Record<Verdict, string>> = {
  failed: 'FAILED',
  uncovered: 'NOT COVERED',
  skipped: 'part',
  'not-served': 'not served',
  passed: 'passed',
  'not-applicable': '-',
};

/** Checks of all operations, which the lines do not list. */
const COMMON_CHECKS = ['visible to its owner', 'unchanged'];

/** Formats one line per operation, the failures below it, and a summary. */
export function reportText({ findings, missing, left }: Report, rpcChecked: boolean): string {
  const operations = Map.groupBy(findings, ({ surface, operation }) => `${surface}  ${operation}`);
  const width = Math.max(...[...operations.keys()].map(({ length }) => length));
  const rows = [...operations].flatMap(([name, each]) => rowsOf(name.padEnd(width), each));
  const failures = findings.filter(isFailure);
  const passed = findings.filter(({ verdict }) => verdict === 'passed');
  return [
    ...rows,
    '',
    ...missing.map((reason) => `Not created, so not checked: ${reason}`),
    ...(rpcChecked ? [] : ['RPCs were not checked: --rpc is missing']),
    ...left.map((record) => `Left behind: ${record}`),
    `${operations.size} operations, ${passed.length} checks passed, ${failures.length} failed`,
    '',
  ].join('\n');
}

function rowsOf(name: string, findings: readonly Finding[]): string[] {
  const worst = SEVERITY.find((verdict) => findings.some((finding) => finding.verdict === verdict))!;
  const passed = findings.filter(({ verdict }) => verdict === 'passed');
  const asked = [...new Set(passed.map(({ asked }) => asked))].filter((text) => !COMMON_CHECKS.includes(text));
  const remark = worst === 'not-applicable' || worst === 'not-served' ? findings[0]!.detail : asked.join('; ');
  const unresolved = findings.filter((finding) => isFailure(finding) || finding.verdict === 'skipped');
  return [
    `${name}  ${WORDS[worst].padEnd(11)}  ${remark}`.trimEnd(),
    ...new Set(
      unresolved.map(({ asked, detail }) => `      ${[asked, detail].filter((text) => text !== '').join(': ')}`),
    ),
  ];
}
