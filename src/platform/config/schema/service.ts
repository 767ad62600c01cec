import { choice, duration, integer, optional, path, pattern, perCore } from '../kinds.ts';
import { databaseUrl, filesUrl } from '../network-kinds.ts';
import { setting } from '../setting.ts';

/** The service as a whole: its name, data, logs and error bodies. */
export const SERVICE_SETTINGS = {
  'app.name': setting({
    owner: 'both',
    kind: pattern(
      '1 to 63 letters, digits and hyphens, beginning with a letter or digit',
      /^[A-Za-z0-9][A-Za-z0-9-]{0,62}$/,
    ),
    default: 'service',
    doc: 'Name of the service. The name of the refresh cookie and the token issuer derive from it.',
  }),
  'app.env': setting({
    owner: 'both',
    kind: choice('DEV', 'TEST', 'PROD'),
    default: 'PROD',
    doc: 'Environment. `npm run dev` sets DEV.',
  }),
  'app.workers': setting({
    owner: 'both',
    kind: perCore(64),
    default: '1',
    doc:
      'Processes that share the ports. More than 1 needs MySQL or MariaDB. Limits of connections, the connection pool and rate ' +
      'limits in memory apply to each worker, limits of password hashes to all together.',
  }),
  'app.shutdown-grace': setting({
    owner: 'both',
    kind: duration('0s', '10m'),
    default: '20s',
    doc: 'Time that a stopping process gives to running requests.',
  }),
  'app.bootstrap.file': setting({
    owner: 'core',
    kind: optional(path),
    default: 'none',
    doc: 'YAML file with the first tenants and accounts. The start creates missing ones.',
  }),
  'app.database.url': setting({
    owner: 'core',
    kind: databaseUrl,
    default: 'sqlite:data/service.db',
    secret: true,
    doc: 'Database. Required in PROD. Use MySQL (8.4 LTS, 9.7 LTS) or MariaDB 10.6+ in production. Of several hosts, such as `host1:3306,host2:3306`, the first usable one is used.',
  }),
  'app.database.pool-size': setting({
    owner: 'core',
    kind: integer(1, 1000),
    default: '10',
    doc: 'Maximum number of connections to MySQL, per process.',
  }),
  'app.api.error-disclosure.mode': setting({
    owner: 'both',
    kind: choice('maximal', 'minimal'),
    default: 'maximal',
    doc:
      'Content of error responses. `maximal` adds the actual reason and diagnostics. In PROD, `maximal` causes a ' +
      'warning at the start.',
  }),
  'app.api.error-disclosure.max-stack-trace-chars': setting({
    owner: 'both',
    kind: integer(0, 100_000),
    default: '4000',
    doc: 'Maximum length of a stack trace in an error response, in characters.',
  }),
  'app.audit.retention': setting({
    owner: 'core',
    kind: duration('0s', '36500d'),
    default: '400d',
    doc: 'Time after which the cleanup deletes audit records. `0` keeps them.',
  }),
  'app.files.store': setting({
    owner: 'core',
    kind: filesUrl,
    default: 'disk:data/files',
    doc: 'Storage of file content. All processes of the core must share a disk. The AWS SDK reads the credentials of S3 from the environment.',
  }),
  'app.files.max-bytes': setting({
    owner: 'both',
    kind: integer(1, 5_368_709_120),
    default: '10485760',
    doc: 'Maximum size of a file, in bytes. Gateway and core need the same value.',
  }),
  'app.files.open-uploads.per-account': setting({
    owner: 'core',
    kind: integer(1, 10_000),
    default: '8',
    doc: 'Maximum number of open uploads of an account, per process of the core. Above it: 429 too-many-requests.',
  }),
  'app.files.open-uploads.per-tenant': setting({
    owner: 'core',
    kind: integer(1, 100_000),
    default: '64',
    doc: 'Maximum number of open uploads of a tenant, per process of the core. Above it: 429 too-many-requests.',
  }),
  'app.files.open-downloads.per-account': setting({
    owner: 'core',
    kind: integer(1, 10_000),
    default: '64',
    doc: 'Maximum number of open downloads of an account, per process of the core. Above it: 429 too-many-requests.',
  }),
  'app.files.open-downloads.per-tenant': setting({
    owner: 'core',
    kind: integer(1, 100_000),
    default: '256',
    doc: 'Maximum number of open downloads of a tenant, per process of the core. Above it: 429 too-many-requests.',
  }),
  'app.files.staged-max-bytes': setting({
    owner: 'core',
    kind: integer(1, 1_099_511_627_776),
    default: '1073741824',
    doc:
      "Maximum total size of a tenant's staged files, in bytes. A prepared file counts with its declared size. " +
      'Above it: 409 quota-exceeded.',
  }),
  'app.files.staged-max-count': setting({
    owner: 'core',
    kind: integer(1, 100_000),
    default: '1000',
    doc: "Maximum number of a tenant's staged files, with prepared ones. Above it: 409 quota-exceeded.",
  }),
  'app.log.level': setting({
    owner: 'both',
    kind: choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    default: 'info',
    doc: 'Lowest level of printed log lines. Failed logins and account locks are printed at every level.',
  }),
  'app.log.format': setting({
    owner: 'both',
    kind: choice('auto', 'pretty', 'json'),
    default: 'auto',
    doc: 'Format of log lines. `auto` is readable text on a terminal and JSON otherwise.',
  }),
};
