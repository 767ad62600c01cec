// One database server: its requirements, its clock, and connections to it.
import type { Logger } from 'pino';
import { hopeless, unavailable } from '../errors.ts';
import { CONNECTION_CHECK_MS, CONNECT_TIMEOUT_MS, STATEMENT_TIMEOUT_MS } from '../limits.ts';
import { type ClockOffset, createClockOffset } from './clock-offset.ts';
import { type MysqlConnection, connect, discard, limitsSql, openConnection, send } from './connection.ts';
import { createStatementEnder } from './end-on-server.ts';
import type { ChosenHost } from './hosts.ts';
import { checkMajority, readNodeState } from './node-state.ts';
import type { HostTarget } from './target.ts';

// Unlike NOW(), SYSDATE() ignores the session's variable timestamp.
const READ_CLOCK = 'SELECT CAST(UNIX_TIMESTAMP(SYSDATE(3)) * 1000 AS SIGNED) AS now';

export interface Server extends ChosenHost {
  readonly target: HostTarget;
  readonly clock: ClockOffset;
  /** Measures the server's clock. */
  measure(connection: MysqlConnection, timeoutMs: number): Promise<void>;
  /** Stops background work. */
  close(): void;
}

/** @param mustBeWritable Whether a read-only or outdated server is refused. */
export function createServer(target: HostTarget, mustBeWritable: boolean, log: Logger): Server {
  const clock = createClockOffset();
  const ender = createStatementEnder(target, log);
  let isSuitable = false;

  const measure = (connection: MysqlConnection, timeoutMs: number) =>
    clock.measure(async () => {
      const rows = await send(connection, 'query', READ_CLOCK, [], timeoutMs);
      return (rows as { now: number }[])[0]!.now;
    });

  return {
    target,
    address: target.address,
    clock,
    measure,
    async check(connection) {
      const run = (sql: string) => send(connection, 'query', sql, [], CONNECTION_CHECK_MS);
      const state = await readNodeState(run);
      if (state.problem !== undefined) throw unavailable(state.problem);
      await checkMajority(state, run);
    },
    async open(connectMs) {
      const statementMs = connectMs < CONNECT_TIMEOUT_MS ? connectMs : STATEMENT_TIMEOUT_MS;
      if (!isSuitable) await checkServer(target, log, { connectMs, statementMs });
      isSuitable = true;
      const { endOnServer } = ender;
      const connection = await openConnection(target.connection, {
        connectMs,
        statementMs,
        endOnServer,
        mustBeWritable,
      });
      connection.clock = clock;
      try {
        if (clock.isStale()) await measure(connection, statementMs);
        return connection;
      } catch (error) {
        discard(connection, 'not opened');
        throw error;
      }
    },
    close: ender.close,
  };
}

export interface ServerFacts {
  /** VERSION(), `9.7.4` or `10.11.19-MariaDB-…` for example. */
  readonly version: string;
  /** Whether SYSDATE() is the time of its evaluation. False only if the server was started with --sysdate-is-now. */
  readonly hasMovingSysdate: boolean;
  readonly hasInnodb: boolean;
  /** The binary log's format; undefined if the server keeps no binary log. */
  readonly binlogFormat: string | undefined;
  /** Whether all members of its replication group accept writes. */
  readonly isMultiPrimary: boolean;
}

interface Release {
  readonly major: number;
  readonly minor: number;
}

const SUPPORTED_SERVERS = 'MySQL 8.4 LTS, MySQL 9.7 LTS, MariaDB 10.6 and later';
const OLDEST_MYSQL: Release = { major: 8, minor: 0 };
const OLDEST_MARIADB: Release = { major: 10, minor: 6 };
const SUPPORTED_MYSQL: readonly Release[] = [
  { major: 8, minor: 4 },
  { major: 9, minor: 7 },
];

/** Returns why the service cannot run on the server, and the solution; undefined if it can. */
export function serverProblem(facts: ServerFacts): string | undefined {
  const { version, hasInnodb, hasMovingSysdate, binlogFormat, isMultiPrimary } = facts;
  const release = releaseOf(version);
  const server = serverName(version);
  if (release === undefined || isOlder(release, isMariaDb(version) ? OLDEST_MARIADB : OLDEST_MYSQL))
    return `${server} is not supported; use ${SUPPORTED_SERVERS}`;
  if (!hasInnodb) return `${server} runs without InnoDB; start it with InnoDB`;
  if (!hasMovingSysdate)
    return `${server} runs with sysdate-is-now, by which writes could pass their deadlines; start it without`;
  if (binlogFormat === 'STATEMENT')
    return `${server} has binlog_format=STATEMENT, which READ COMMITTED cannot be written with; set binlog_format=ROW`;
  if (isMultiPrimary)
    return `${server} belongs to a multi-primary group, which refuses changes of tables with cascading foreign keys; use single-primary mode`;
  return undefined;
}

/** Returns a warning if the service starts on the server although its version is not supported; else undefined. */
export function serverWarning({ version }: ServerFacts): string | undefined {
  const release = releaseOf(version);
  const isSupported =
    isMariaDb(version) ||
    SUPPORTED_MYSQL.some(({ major, minor }) => release?.major === major && release.minor === minor);
  return isSupported ? undefined : `${serverName(version)} is not a supported version; use ${SUPPORTED_SERVERS}`;
}

function isMariaDb(version: string): boolean {
  return /mariadb/i.test(version);
}

function serverName(version: string): string {
  return `${isMariaDb(version) ? 'MariaDB' : 'MySQL'} ${version}`;
}

function releaseOf(version: string): Release | undefined {
  const [, major, minor] = /^(\d+)\.(\d+)(?!\d)/.exec(version) ?? [];
  return major === undefined ? undefined : { major: Number(major), minor: Number(minor) };
}

function isOlder(one: Release, other: Release): boolean {
  return one.major < other.major || (one.major === other.major && one.minor < other.minor);
}

// Both times are equal if SYSDATE() is the statement's start.
const VERSION_AND_CLOCK =
  'SELECT VERSION() AS version, SYSDATE(6) AS earlier, SLEEP(0.002) AS slept, SYSDATE(6) AS later';
const INNODB = "SELECT support FROM information_schema.engines WHERE engine = 'InnoDB'";
const VARIABLES = `SHOW VARIABLES WHERE variable_name IN
  ('log_bin', 'binlog_format', 'group_replication_group_name', 'group_replication_single_primary_mode')`;

/** Time limits of connecting and of each statement, in milliseconds. */
interface CheckLimits {
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
      (await send(connection, 'query', sql, [], statementMs)) as unknown as Row[];
    await select(`SET ${limitsSql(statementMs)}`);
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
