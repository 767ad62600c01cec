// What a container of the image is. deploy/Dockerfile has the same; a test compares them.

/** Node's name of an architecture, and those of Debian and of OCI, which are the same. */
export const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' } as const;
export type Architecture = keyof typeof ARCHITECTURES;

/** The user and group of the process, by number: Kubernetes can check that it is not root. */
export const USER = 65532;

/** The folder of the project. */
export const FOLDER = '/app';

/** The folder for SQLite and uploaded files. A volume here takes over the owner. */
export const DATA_FOLDER = '/app/data';

/** The program of the health check. All other files are those of `npm run build`. */
export const HEALTH_CHECK = 'deploy/healthcheck.js';

const SECOND_NS = 1_000_000_000;

/** The member `config` of an OCI image. */
export const CONTAINER = {
  User: `${USER}:${USER}`,
  ExposedPorts: { '8080/tcp': {}, '50051/tcp': {}, '9090/tcp': {} },
  Env: [
    'PATH=/usr/local/bin:/usr/bin',
    'NODE_ENV=production',
    // One arena for all threads. Otherwise password hashes leave up to 160 MB in arenas of their own.
    'MALLOC_ARENA_MAX=1',
    // 16 MB for each half of V8's young generation. Its default leaves 40 MB more after load, at the same CPU time.
    'NODE_OPTIONS=--max-semi-space-size=16',
    // Read with NODE_USE_SYSTEM_CA=1 only: Node has authorities of its own.
    'SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt',
  ],
  Entrypoint: ['node'],
  Cmd: ['gateway/main.js'],
  Volumes: { [DATA_FOLDER]: {} },
  WorkingDir: FOLDER,
  StopSignal: 'SIGTERM',
  // Docker's addition to OCI.
  Healthcheck: {
    Test: ['CMD', 'node', HEALTH_CHECK],
    Interval: 15 * SECOND_NS,
    Timeout: 10 * SECOND_NS,
    StartPeriod: 60 * SECOND_NS,
    Retries: 3,
  },
} as const;

export interface Source {
  readonly version: string;
  /** The commit, with `-dirty` if files differ from it, or are new and not ignored. */
  readonly revision: string;
  /** The time of the commit or SOURCE_DATE_EPOCH: of the image and of all its files. */
  readonly epochSeconds: number;
}

/** The labels of the image, by the names of OCI. */
export const labelsOf = ({ version, revision, epochSeconds }: Source): Readonly<Record<string, string>> => ({
  'org.opencontainers.image.title': 'authservice',
  'org.opencontainers.image.description':
    'Logs in users and machines, manages their sessions and checks their access tokens',
  'org.opencontainers.image.version': version,
  'org.opencontainers.image.revision': revision,
  'org.opencontainers.image.created': isoTime(epochSeconds),
  'org.opencontainers.image.licenses': 'Apache-2.0',
});

/** A time without milliseconds. */
export const isoTime = (epochSeconds: number): string =>
  new Date(epochSeconds * 1_000).toISOString().replace('.000Z', 'Z');
