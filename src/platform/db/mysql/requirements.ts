// Checks whether a MySQL or MariaDB server meets the requirements, from facts that the server reports.

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

export const SUPPORTED_SERVERS = 'MySQL 8.4 LTS, MySQL 9.7 LTS, MariaDB 10.6 and later';
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
