// The table of relying parties in docs/comparison.md. A run prints its rows, and writes those that passed if WRITE_TABLE is set.
import type { ProviderKind } from './deployments.ts';
import type { Party } from './party.ts';

const HEAD = ['Party', 'Version', 'Service', 'Login', 'Claims', 'Refresh', 'Its logout', 'Our logout', 'Minutes'];

/** A party in a run. */
export interface Row {
  readonly party: Party;
  readonly kind: Pick<ProviderKind, 'engine' | 'processes'>;
  readonly results: Partial<Record<Step, 'passed' | 'failed'>>;
  minutes: number;
}

/** What a test shows of a party. */
export type Step = 'claims' | 'refresh' | 'theirLogout' | 'ourLogout';

/** The steps that a party has. */
const stepsOf = ({ refresh, theirLogout }: Party): readonly Step[] => [
  'claims',
  ...(refresh === 'none' ? [] : ['refresh' as const]),
  ...(theirLogout === 'none' ? [] : ['theirLogout' as const]),
  'ourLogout',
];

/** Returns the cells of a row without its minutes, as the documents have them. */
export const documentCells = ({ party, kind }: Pick<Row, 'party' | 'kind'>): readonly string[] => [
  party.name,
  party.version,
  kind.processes === 'two cores' ? `two cores, ${kind.engine}` : kind.engine,
  party.login,
  party.claims.join(', '),
  party.refresh,
  party.theirLogout,
  party.ourLogout,
];

/** Returns the table of a run. What failed, or was left out, is marked. */
export function tableOf(rows: readonly Row[]): string {
  const cells = rows.map((row) => {
    const marked = stepsOf(row.party).flatMap((step) => {
      const result = row.results[step] ?? 'not run';
      return result === 'passed' ? [] : [`${step} ${result}`];
    });
    const [name, ...others] = documentCells(row);
    return [marked.length === 0 ? name! : `${name} (${marked.join(', ')})`, ...others, minutesOf(row)];
  });
  return [HEAD, HEAD.map(() => '---'), ...cells].map(lineOf).join('\n');
}

/** Returns a document with new minutes for the rows that passed. Rows that it does not have are added at the end of its table. */
export function withRows(document: string, rows: readonly Row[]): string {
  const lines = document.split('\n');
  for (const row of rows.filter(hasPassed)) {
    const cells = documentCells(row);
    const line = lineOf([...cells, minutesOf(row)]);
    const start = lineOf(cells.slice(0, 3));
    const present = lines.findIndex((text) => text.startsWith(start));
    if (present >= 0) lines[present] = line;
    else lines.splice(endOfTable(lines), 0, line);
  }
  return lines.join('\n');
}

const hasPassed = ({ party, results }: Row): boolean => stepsOf(party).every((step) => results[step] === 'passed');

function endOfTable(lines: readonly string[]): number {
  const head = lines.indexOf(lineOf(HEAD));
  if (head < 0) throw new Error('the document has no table of relying parties');
  return lines.findIndex((line, index) => index > head && !line.startsWith('|'));
}

const minutesOf = ({ minutes }: Row): string => minutes.toFixed(1);
const lineOf = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
