// Checks that an administrator of one tenant cannot access records of another tenant.
import { CommandFailure, EXIT } from '../failure.ts';
import { type Finding, isFailure, type Operation } from './operation.ts';
import { ROUTES, RPCS } from './cases.ts';
import { collectionsOf, hasModules, moduleCases } from './module-routes.ts';
import { makeRecords, type CreatedRecords } from './make-records.ts';
import type { Party } from './party.ts';
import { routesOf, type OpenApi } from './routes.ts';
import { rpcsOf, type DeclaredRpc } from './rpcs.ts';
import { runProbes } from './run-probes.ts';
import type { PartialRecords } from './records.ts';
import { compareSnapshots, snapshotAsCaller } from './snapshots.ts';

/** The administrators and the operations to check. */
export interface Subject {
  /** The caller. */
  readonly own: Party;
  /** The administrator of the other tenant, which owns the records. */
  readonly other: Party;
  /** The OpenAPI document of the gateway. */
  readonly document: OpenApi;
  /** All declared RPCs. */
  readonly rpcs: readonly DeclaredRpc[];
}

export interface Report {
  readonly findings: readonly Finding[];
  /** Reasons why records could not be created, for people. */
  readonly missing: readonly string[];
  /** Records that could not be deleted, for people. */
  readonly left: readonly string[];
  /** Whether the gateway serves modules outside this project. Their RPCs are checked by their routes only. */
  readonly hasModules: boolean;
}

/**
 * Creates records in both tenants. Calls all operations as one administrator with ids of the other tenant. Then deletes the
 * records as far as possible. Rejects with CommandFailure if both administrators belong to the same tenant.
 */
export async function checkIsolation({ own, other, document, rpcs }: Subject): Promise<Report> {
  if (own.tenantId === other.tenantId)
    throw new CommandFailure(`both administrators belong to the tenant ${own.tenantId}`, EXIT.usage);
  const { connect } = own.target;
  const operations = [
    ...routesOf(document, { ...ROUTES, ...moduleCases(document) }, { own: own.http, other: other.http }),
    ...(connect === undefined ? [] : rpcsOf(rpcs, RPCS, connect, { own: own.as, other: other.as })),
  ];
  const collections = collectionsOf(document);
  const unserved = Object.keys(ROUTES).filter((name) => !operations.some((operation) => operation.name === name));
  const notServed = { surface: 'REST', verdict: 'not-served', asked: '', detail: '' } as const;
  const created: CreatedRecords[] = [];
  const left: string[] = [];
  try {
    const ownRecords = await makeRecords(own, 'own');
    created.push(ownRecords);
    // The other tenant's records are created last, so that a list that leaks them shows them first.
    const makeOthers = (extent: 'all' | 'own') => makeRecords(other, extent, collections);
    const noSideEffects = await checkNoSideEffects(operations, ownRecords.records, makeOthers, created);
    const { records: foreign, missing } = created[1]!;
    const findings = await runProbes(operations, { own: ownRecords.records, foreign });
    return {
      findings: [...findings, ...noSideEffects, ...unserved.map((operation) => ({ ...notServed, operation }))],
      missing,
      left,
      hasModules: hasModules(document),
    };
  } finally {
    for (const records of created.toReversed()) left.push(...(await records.undo()));
  }
}

/** Other clients may change the tenant's data between two snapshots. That is unlikely in every attempt. */
const MAX_ATTEMPTS = 3;

/**
 * Creates the other tenant's records, and checks that no list, total or statistic of the caller changes.
 *
 * @param makeOthers Creates the records of the other tenant.
 * @param created Receives the records.
 */
async function checkNoSideEffects(
  operations: readonly Operation<any>[],
  own: PartialRecords,
  makeOthers: (extent: 'all' | 'own') => Promise<CreatedRecords>,
  created: CreatedRecords[],
): Promise<readonly Finding[]> {
  let findings: Finding[] = [];
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const before = await snapshotAsCaller(operations, own);
    created.push(await makeOthers(attempt === 0 ? 'all' : 'own'));
    const after = await snapshotAsCaller(operations, own);
    findings = compareSnapshots(before, after, 'unchanged', "changed when another tenant's records were created");
    if (!findings.some(isFailure)) break;
  }
  return findings;
}
