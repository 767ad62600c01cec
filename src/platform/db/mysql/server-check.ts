import type { Logger } from 'pino';
import { hopeless } from '../errors.ts';
import { connect, discard, send } from './connection.ts';
import { serverProblem, serverWarning, type ServerFacts } from './requirements.ts';
import type { HostTarget } from './target.ts';

// Both times are equal if SYSDATE() is the statement's start.
const VERSION_AND_CLOCK =
  'SELECT VERSION() AS version, SYSDATE(6) AS earlier, SLEEP(0.002) AS slept, SYSDATE(6) AS later';
const INNODB = "SELECT support FROM information_schema.engines WHERE engine = 'InnoDB'";
const VARIABLES = `SHOW VARIABLES WHERE variable_name IN
  ('log_bin', 'binlog_format', 'group_replication_group_name', 'group_replication_single_primary_mode')`;

/** Time limits of connecting and of each statement, in milliseconds. */
export interface CheckLimits {
  readonly connectMs: number;
  readonly statementMs: number;
}

/** Rejects if the service cannot run on the server, with an error that stops waiting. Logs warnings. */
export async function checkServer({ connection }: HostTarget, log: Logger, limits: CheckLimits): Promise<void> {
  const facts = await readFacts(connection, limits);
  const problem = serverProblem(facts);
  if (problem !== undefined) throw hopeless(problem);
  const warning = serverWarning(facts);
  if (warning !== undefined) log.warn(warning);
}

// Until the version is known, statements must work on old servers. The usual session settings would not.
async function readFacts(
  options: HostTarget['connection'],
  { connectMs, statementMs }: CheckLimits,
): Promise<ServerFacts> {
  const connection = await connect(options, connectMs);
  try {
    const select = async <Row>(sql: string) =>
      (await send(connection, 'query', sql, [], statementMs))[0] as unknown as Row[];
    const [first] = await select<{ version: string; earlier: string; later: string }>(VERSION_AND_CLOCK);
    const [innodb] = await select<{ support: string }>(INNODB);
    const rows = await select<{ Variable_name: string; Value: string }>(VARIABLES);
    const variables = new Map(rows.map(({ Variable_name: name, Value: value }) => [name, value]));
    const { version, earlier, later } = first!;
    return {
      version,
      hasMovingSysdate: earlier !== later,
      hasInnodb: innodb !== undefined && innodb.support !== 'NO' && innodb.support !== 'DISABLED',
      binlogFormat: variables.get('log_bin') === 'ON' ? variables.get('binlog_format') : undefined,
      // A server with the plugin belongs to a group only if it has the name of one.
      isMultiPrimary:
        (variables.get('group_replication_group_name') ?? '') !== '' &&
        variables.get('group_replication_single_primary_mode') === 'OFF',
    };
  } finally {
    discard(connection, 'closed');
  }
}
