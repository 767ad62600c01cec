// The state of a server in its cluster: whether it may be used, and whether its reads may be outdated.

import { DatabaseError } from '../errors.ts';

/** Global variables and status of a server, by name. A server lacks those of features that it does not have. */
type NodeFacts = ReadonlyMap<string, string>;

interface NodeState {
  /** Why another server must be used; undefined if this one may be used. */
  readonly problem: string | undefined;
  /**
   * The statement that makes all statements of a session see every change that any server of the cluster has committed
   * before; undefined if they do anyway.
   */
  readonly causalReads: string | undefined;
  /**
   * A read that ends only while the server belongs to the majority of its cluster. It may fail because the table is
   * missing. Undefined if `problem` already says that.
   */
  readonly majorityRead: string | undefined;
}

const READ_VARIABLES = `SHOW GLOBAL VARIABLES WHERE variable_name IN
  ('read_only', 'super_read_only', 'innodb_read_only', 'wsrep_on', 'group_replication_consistency')`;
const READ_GALERA_STATUS =
  "SHOW GLOBAL STATUS WHERE variable_name IN ('wsrep_ready', 'wsrep_local_state', 'wsrep_local_state_comment')";

// Without the majority of its group, a primary remains writable, but statements on tables wait. Users without privileges
// cannot read the state of the group.
const MAJORITY_READ = 'SELECT 1 FROM knex_migrations LIMIT 1';

const READ_ONLY_VARIABLES = ['super_read_only', 'read_only', 'innodb_read_only'] as const;
const GALERA_SYNCED = '4';

function isGaleraNode(facts: NodeFacts): boolean {
  return facts.get('wsrep_on') === 'ON';
}

/** A server has this variable only if the plugin of group replication is loaded. */
function isGroupMember(facts: NodeFacts): boolean {
  return facts.has('group_replication_consistency');
}

/** @param run Runs a statement and returns its rows. */
export async function readNodeState(run: (sql: string) => Promise<unknown>): Promise<NodeState> {
  const read = async (sql: string) =>
    ((await run(sql)) as { Variable_name: string; Value: string }[]).map(
      ({ Variable_name: name, Value: value }) => [name, value] as const,
    );
  const variables = new Map(await read(READ_VARIABLES));
  if (!isGaleraNode(variables)) return nodeStateOf(variables);
  return nodeStateOf(new Map([...variables, ...(await read(READ_GALERA_STATUS))]));
}

/** @param facts The rows of READ_VARIABLES and, of a Galera node, of READ_GALERA_STATUS. */
export function nodeStateOf(facts: NodeFacts): NodeState {
  const majorityRead = isGroupMember(facts) ? MAJORITY_READ : undefined;
  return { problem: nodeProblem(facts), causalReads: causalReadsOf(facts), majorityRead };
}

function nodeProblem(facts: NodeFacts): string | undefined {
  const readOnly = READ_ONLY_VARIABLES.find((name) => (facts.get(name) ?? 'OFF') !== 'OFF');
  if (readOnly !== undefined) return `read-only server (${readOnly})`;
  if (!isGaleraNode(facts)) return undefined;
  if (facts.get('wsrep_ready') !== 'ON') return 'the node is not ready (wsrep_ready)';
  if (facts.get('wsrep_local_state') !== GALERA_SYNCED)
    return `the node is not synced (wsrep_local_state ${facts.get('wsrep_local_state_comment')})`;
  return undefined;
}

function causalReadsOf(facts: NodeFacts): string | undefined {
  // 1: reads, 2: UPDATE and DELETE, 4: INSERT and REPLACE. A write must not miss a row that another node has committed.
  if (isGaleraNode(facts)) return 'SET SESSION wsrep_sync_wait = 7';
  if (isGroupMember(facts)) return "SET SESSION group_replication_consistency = 'BEFORE'";
  return undefined;
}

/** Rejects if the server does not belong to the majority of its group now. The session must have causal reads. */
export async function checkMajority(
  { majorityRead }: NodeState,
  run: (sql: string) => Promise<unknown>,
): Promise<void> {
  if (majorityRead === undefined) return;
  await run(majorityRead).catch((error: unknown) => {
    // A new database has no tables yet.
    if (!(error instanceof DatabaseError)) throw error;
  });
}
