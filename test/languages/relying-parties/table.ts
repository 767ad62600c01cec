// The table of relying parties: a part of docs/comparison.md, and with results and minutes the output of a run.
import type { Party } from './party.ts';

const COLUMNS = {
  Party: ({ name }) => name,
  Version: ({ version }) => version,
  Login: ({ login }) => login,
  Claims: ({ claims }) => claims.join(', '),
  Refresh: ({ refresh }) => refresh,
  'Its logout': ({ theirLogout }) => theirLogout,
  'Learns of our logout': ({ ourLogout }) => ourLogout,
} as const satisfies Record<string, (party: Party) => string>;

/** A party in a run. */
export interface Row {
  readonly party: Party;
  readonly engine: string;
  readonly results: Partial<Record<keyof Party, 'passed' | 'failed'>>;
  minutes: number;
}

/** Returns the rows of Markdown. */
export const documentTable = (parties: readonly Party[]): string =>
  markdown(
    Object.keys(COLUMNS),
    parties.map((party) => Object.values(COLUMNS).map((cell) => cell(party))),
  );

/** Returns the table of a run. What failed is marked. */
export function tableOf(rows: readonly Row[]): string {
  const head = ['Party', 'Version', 'Engine', 'Login', 'Claims', 'Refresh', 'Its logout', 'Our logout', 'Minutes'];
  const cells = rows.map(({ party, engine, results, minutes }) => {
    const cell = (column: keyof Party, text: string) =>
      results[column] === 'failed' ? `FAILED: ${text}` : results[column] === undefined ? `not run: ${text}` : text;
    return [
      party.name,
      party.version,
      engine,
      cell('claims', party.login),
      cell('claims', party.claims.join(', ')),
      party.refresh === 'none' ? 'none' : cell('refresh', party.refresh),
      party.theirLogout === 'none' ? 'none' : cell('theirLogout', party.theirLogout),
      cell('ourLogout', party.ourLogout),
      minutes.toFixed(1),
    ];
  });
  return markdown(head, cells);
}

const markdown = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
