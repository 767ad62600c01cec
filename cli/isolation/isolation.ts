// Whether one tenant's administrator can learn anything of another tenant's records.
import type { Finding } from './finding.ts';
import { ROUTES, RPCS } from './cases/all.ts';
import { makeRecords, type Making } from './make.ts';
import { checkNoSideEffects } from './check-no-side-effects.ts';
import { CannotAskError, type Party } from './party.ts';
import { linesWithoutRoute, routesOf, type OpenApi } from './routes.ts';
import { rpcsOf, type DeclaredRpc } from './rpcs.ts';
import { walk } from './run-probes.ts';

/** What is asked for, and by whom. */
export interface Subject {
  /** Who asks. */
  readonly own: Party;
  /** The owner of the records that are asked for, of another tenant. */
  readonly other: Party;
  /** The gateway's description. */
  readonly document: OpenApi;
  /** Every RPC that is declared. */
  readonly rpcs: readonly DeclaredRpc[];
}

export interface Report {
  readonly findings: readonly Finding[];
  /** Why records could not be made, for a person. */
  readonly missing: readonly string[];
  /** Which records stay, for a person. */
  readonly left: readonly string[];
}

/**
 * Makes records in both tenants, asks for the other's by every operation in the name of the one, and removes them as far as
 * they can be removed. Rejects with CannotAskError where both parties are of one tenant.
 */
export async function checkIsolation({ own, other, document, rpcs }: Subject): Promise<Report> {
  if (own.tenantId === other.tenantId) throw new CannotAskError(`both administrators are of ${own.tenantId}`);
  const { connect } = own.target;
  const operations = [
    ...routesOf(document, ROUTES, { own: own.http, other: other.http }),
    ...(connect === undefined ? [] : rpcsOf(rpcs, RPCS, connect, { own: own.as, other: other.as })),
  ];
  const undoing: Making[] = [];
  const left: string[] = [];
  try {
    const ours = await makeRecords(own, 'own');
    undoing.push(ours);
    // Made last, theirs would stand first in a list that shows them.
    const theirs = await checkNoSideEffects(operations, ours.records, other);
    undoing.push(theirs);
    const findings = await walk(operations, { own: ours.records, foreign: theirs.records });
    return { findings: [...findings, ...theirs.findings, ...absentIn(document)], missing: theirs.missing, left };
  } finally {
    for (const making of undoing.toReversed()) left.push(...(await making.undo()));
  }
}

function absentIn(document: OpenApi): Finding[] {
  const finding = { surface: 'REST', verdict: 'not-served', asked: '', detail: '' } as const;
  return linesWithoutRoute(document, ROUTES).map((operation) => ({ ...finding, operation }));
}
