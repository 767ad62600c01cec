import { choice, duration, integer, optional, path, pattern } from '../kinds.ts';
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
    doc: "Name of the service; the refresh cookie's name and the token issuer derive from it.",
  }),
  'app.env': setting({
    owner: 'both',
    kind: choice('DEV', 'TEST', 'PROD'),
    default: 'PROD',
    doc: 'Environment. `npm run dev` passes DEV.',
  }),
  'app.shutdown-grace': setting({
    owner: 'both',
    kind: duration('0s', '10m'),
    default: '20s',
    doc: 'How long a stopping process waits for what is under way.',
  }),
  'app.bootstrap.file': setting({
    owner: 'core',
    kind: optional(path),
    default: 'none',
    doc: 'YAML file with the accounts and tenants that are created at start where they are missing.',
  }),
  'app.database.url': setting({
    owner: 'core',
    kind: databaseUrl,
    default: 'sqlite:data/service.db',
    secret: true,
    doc: 'Database. Must be given in PROD. MySQL (8.4 LTS, 9.7 LTS) or MariaDB 10.6+ is the production engine.',
  }),
  'app.database.pool-size': setting({
    owner: 'core',
    kind: integer(1, 1000),
    default: '10',
    doc: 'Connections to MySQL per process.',
  }),
  'app.api.error-disclosure.mode': setting({
    owner: 'both',
    kind: choice('maximal', 'minimal'),
    default: 'maximal',
    doc: 'Whether errors tell the actual reason and diagnostics. PROD with `maximal` warns at start.',
  }),
  'app.api.error-disclosure.max-stack-trace-chars': setting({
    owner: 'both',
    kind: integer(0, 100_000),
    default: '4000',
    doc: 'Longest stack trace in an error, in characters.',
  }),
  'app.audit.retention': setting({
    owner: 'core',
    kind: duration('0s', '36500d'),
    default: '400d',
    doc: 'How long audit records are kept before the cleanup deletes them. `0` keeps them for ever.',
  }),
  'app.files.store': setting({
    owner: 'core',
    kind: filesUrl,
    default: 'disk:data/files',
    doc: 'Where the bytes of files are kept. A disk must be one that all processes of the core share.',
  }),
  'app.files.max-bytes': setting({
    owner: 'both',
    kind: integer(1, 5_368_709_120),
    default: '10485760',
    doc: 'Most bytes that a file may have. Gateway and core must be given the same.',
  }),
  'app.files.open-uploads.per-account': setting({
    owner: 'core',
    kind: integer(1, 10_000),
    default: '8',
    doc: 'Uploads that an account may have open at once, per process of the core; beyond: 429 too-many-requests.',
  }),
  'app.files.open-uploads.per-tenant': setting({
    owner: 'core',
    kind: integer(1, 100_000),
    default: '64',
    doc: 'Uploads that the accounts of a tenant may have open at once, per process of the core; beyond: 429 too-many-requests.',
  }),
  'app.files.staged-max-bytes': setting({
    owner: 'core',
    kind: integer(1, 1_099_511_627_776),
    default: '1073741824',
    doc: "Most bytes of a tenant's files that are not attached, prepared ones with their declared size; beyond: 409 quota-exceeded.",
  }),
  'app.files.staged-max-count': setting({
    owner: 'core',
    kind: integer(1, 100_000),
    default: '1000',
    doc: 'Most files of a tenant that are not attached, prepared ones included; beyond: 409 quota-exceeded.',
  }),
  'app.log.level': setting({
    owner: 'both',
    kind: choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    default: 'info',
    doc: 'Least severe level that is logged. Failed logins and account locks are printed at every level.',
  }),
  'app.log.format': setting({
    owner: 'both',
    kind: choice('auto', 'pretty', 'json'),
    default: 'auto',
    doc: '`auto`: readable on a terminal, JSON otherwise.',
  }),
};
