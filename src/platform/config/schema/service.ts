import { choice, duration, flag, integer, list, optional, path, pattern, perCore } from '../kinds.ts';
import { databaseUrl, filesUrl, httpUrl } from '../network-kinds.ts';
import { both, core } from '../setting.ts';

/** The service as a whole: its name, data, logs and error bodies. */
export const SERVICE_SETTINGS = {
  'app.name': both(
    pattern('1 to 63 letters, digits and hyphens, beginning with a letter or digit', /^[A-Za-z0-9][A-Za-z0-9-]{0,62}$/),
    'service',
    'Name of the service. The name of the refresh cookie derives from it, and the token issuer if `app.public-url` is not set.',
  ),
  'app.env': both(choice('DEV', 'TEST', 'PROD'), 'PROD', 'Environment. `npm run dev` sets DEV.'),
  'app.workers': both(
    perCore(64),
    '1',
    'Processes that share the ports. More than 1 needs MySQL or MariaDB. Limits of connections, the connection pool and rate ' +
      'limits in memory apply to each worker, limits of password hashes to all together.',
  ),
  'app.process.drain-delay': both(
    duration('0s', '10m'),
    { rule: '`0s` in DEV, else `5s`', of: (basis) => (basis['app.env'] === 'DEV' ? 0 : 5_000) },
    'Time for which a stopping process still serves new requests. It is not ready, and ends each connection after a response, ' +
      'so that balancers use others. `app.shutdown-grace` begins afterwards.',
  ),
  'app.shutdown-grace': both(
    duration('0s', '10m'),
    '20s',
    'Time that a stopping process gives to running requests, after `app.process.drain-delay`.',
  ),
  'app.bootstrap.file': core(
    optional(path),
    'none',
    'YAML file with the first tenants and accounts. The start creates missing ones.',
  ),
  'app.database.url': core(
    databaseUrl,
    'sqlite:data/service.db',
    'Database. Required in PROD. Use MySQL (8.4 LTS, 9.7 LTS) or MariaDB 10.6+ in production. Of several hosts, such as ' +
      '`host1:3306,host2:3306`, the first usable one is used.',
    { secret: true },
  ),
  'app.database.ignore-lowest-version': core(
    flag,
    'false',
    'Whether an older version serves a database with records that it does not enforce, such as second factors: it then logs in ' +
      'without them. See docs/upgrading.md.',
  ),
  'app.database.pool-size': core(integer(1, 1000), '10', 'Maximum number of connections to MySQL, per process.'),
  'app.api.error-disclosure.mode': both(
    choice('maximal', 'minimal'),
    'maximal',
    'Content of error responses. `maximal` adds the actual reason and diagnostics. In PROD, `maximal` causes a ' +
      'warning at the start.',
  ),
  'app.api.error-disclosure.max-stack-trace-chars': both(
    integer(0, 100_000),
    '4000',
    'Maximum length of a stack trace in an error response, in characters.',
  ),
  'app.audit.streams-per-account': core(
    integer(1, 10_000),
    '100',
    'Maximum number of open streams of audit records of an account, per process of the core. Above it: 429 too-many-requests.',
  ),
  'app.audit.retention': core(
    duration('0s', '36500d'),
    '400d',
    'Time after which the cleanup deletes audit records. `0` keeps them.',
  ),
  'app.audit.otlp-endpoint': core(
    optional(httpUrl),
    'none',
    'OpenTelemetry collector that receives all audit records as logs: the base URL of its OTLP/HTTP receiver. The path `/v1/logs` is ' +
      'added. All cores need the same value.',
  ),
  'app.business.enabled': both(
    flag,
    'true',
    'Whether the shop is served: products, orders, customers, dashboard, reference data and files. `false`: its paths are ' +
      '404, its RPCs UNIMPLEMENTED, and its permissions unknown names. Gateway and core need the same value.',
  ),
  'app.modules': both(
    list('paths of ES modules', path),
    'none',
    'Further modules, in JavaScript or TypeScript, with services of your own: docs/extending.md. Gateway and core need the ' +
      'same value.',
  ),
  'app.files.store': core(
    filesUrl,
    'disk:data/files',
    'Storage of file content. All processes of the core must share a disk. The AWS SDK reads the credentials of S3 from the environment.',
  ),
  'app.files.max-bytes': both(
    integer(1, 5_368_709_120),
    '10485760',
    'Maximum size of a file, in bytes. Gateway and core need the same value.',
  ),
  'app.files.open-uploads.per-account': core(
    integer(1, 10_000),
    '8',
    'Maximum number of open uploads of an account, per process of the core. Above it: 429 too-many-requests.',
  ),
  'app.files.open-uploads.per-tenant': core(
    integer(1, 100_000),
    '64',
    'Maximum number of open uploads of a tenant, per process of the core. Above it: 429 too-many-requests.',
  ),
  'app.files.open-downloads.per-account': core(
    integer(1, 10_000),
    '64',
    'Maximum number of open downloads of an account, per process of the core. Above it: 429 too-many-requests.',
  ),
  'app.files.open-downloads.per-tenant': core(
    integer(1, 100_000),
    '256',
    'Maximum number of open downloads of a tenant, per process of the core. Above it: 429 too-many-requests.',
  ),
  'app.files.staged-max-bytes': core(
    integer(1, 1_099_511_627_776),
    '1073741824',
    "Maximum total size of a tenant's staged files, in bytes. A prepared file counts with its declared size. " +
      'Above it: 409 quota-exceeded.',
  ),
  'app.files.staged-max-count': core(
    integer(1, 100_000),
    '1000',
    "Maximum number of a tenant's staged files, with prepared ones. Above it: 409 quota-exceeded.",
  ),
  'app.log.level': both(
    choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    'info',
    'Lowest level of printed log lines. Failed logins and account locks are printed at every level.',
  ),
  'app.log.format': both(
    choice('auto', 'pretty', 'json'),
    'auto',
    'Format of log lines. `auto` is readable text on a terminal and JSON otherwise.',
  ),
};
