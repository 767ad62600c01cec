// The rules of npm packages: the files that may import them, and the ones that are loaded late.
import {
  eachImport,
  file,
  isProjectFile,
  packageOf,
  STATIC_IMPORT,
  testRules,
  type Import,
  type Rule,
  type Source,
} from './architecture.ts';

/** The files that may import each package. Types of the logger are allowed everywhere. */
const HOMES: Readonly<Record<string, RegExp>> = {
  '@simplewebauthn/server': /^src\/auth\/factors\/passkeys\/(?:webauthn|backup-flags)\.ts$/,
  argon2: /^src\/auth\/identity\/authentication\/password-hasher\.ts$/,
  bcrypt: /^src\/auth\/identity\/authentication\/password-hash-formats\.ts$/,
  'ipaddr.js': /^src\/platform\/(?:http\/reachable-addresses|formats\/address-range)\.ts$/,
  jose: /^src\/auth\/(?:keys|token)\//,
  knex: /^src\/platform\/db\/query\/builder\.ts$/,
  mysql2: /^src\/platform\/db\//,
  'node:sqlite': /^src\/platform\/db\//,
  uuid: /^src\/platform\/db\//,
  fastify: /^gateway\//,
  '@fastify/accept-negotiator': /^gateway\/http\/static-body\.ts$/,
  '@fastify/ajv-compiler': /^gateway\/schema\/lazy-schemas\.ts$/,
  '@fastify/cookie': /^gateway\//,
  '@fastify/cors': /^gateway\//,
  '@fastify/fast-json-stringify-compiler': /^gateway\/schema\/lazy-schemas\.ts$/,
  '@fastify/multipart': /^gateway\//,
  '@fastify/swagger': /^gateway\//,
  '@fastify/type-provider-typebox': /^gateway\//,
  typebox: /^(?:gateway|src\/composition\/bootstrap)\//,
  '@bomb.sh/tab': /^cli\/completion(?:-script)?\.ts$/,
  '@inquirer/password': /^cli\/terminal\//,
  'csv-parse': /^cli\/import\//,
  'cli-table3': /^cli\/terminal\//,
  'cli-progress': /^cli\/terminal\//,
  uqr: /^cli\/terminal\//,
  commander: /^cli\/(?:program|run)\.ts$/,
  '@grpc/grpc-js': /^(?:src\/platform\/rpc|proto\/gen)\//,
  '@grpc/proto-loader': /^src\/platform\/rpc\/contract\/load-protos\.ts$/,
  // The parser of proto-loader.
  protobufjs: /^src\/platform\/rpc\/contract\/load-protos\.ts$/,
  '@grpc/reflection': /^src\/platform\/rpc\/grpc\/reflection\.ts$/,
  '@bufbuild/protobuf':
    /^(?:proto\/gen\/|src\/platform\/rpc\/(?:grpc\/reflection\.ts$|contract\/)|gateway\/contract\/|cli\/isolation\/rpcs\.ts$|scripts\/(?:max-response-bytes|proto-comments)\.ts$)/,
  '@opentelemetry/api': /^src\/platform\/tracing\/otlp-/,
  '@opentelemetry/core': /^src\/platform\/tracing\/otlp-/,
  '@opentelemetry/exporter-trace-otlp-proto': /^src\/platform\/tracing\/otlp-/,
  '@opentelemetry/resources': /^src\/platform\/tracing\/otlp-/,
  '@opentelemetry/sdk-trace': /^src\/platform\/tracing\/otlp-/,
  'rate-limiter-flexible': /^src\/platform\/limits\//,
  redis: /^src\/platform\/limits\//,
  '@aws-sdk/client-s3': /^src\/platform\/files\//,
  sharp: /^src\/platform\/files\//,
  nodemailer: /^src\/auth\/mail\/transport\.ts$/,
  'postal-mime': /^gateway\/dev\/dev-mail\.ts$/,
  '@grafana/grafana-foundation-sdk': /^scripts\/dashboard\.ts$/,
  rolldown: /^scripts\/build\/build-programs\.ts$/,
  'playwright-core': /^scripts\/screenshots\.ts$/,
  'prom-client':
    /^(?:gateway\/metrics|src\/platform\/process\/(?:metrics|latency-histogram|workers\/combined-metrics))\.ts$/,
  yaml: /^src\/(?:platform\/config|composition\/bootstrap)\//,
  pino: /^src\/platform\/process\/log\.ts$/,
  'pino-pretty': /^src\/platform\/process\/log\.ts$/,
};

function isAtHome(imported: Import): boolean {
  const { from, to, typeOnly } = imported;
  if (isProjectFile(imported) || (to.startsWith('node:') && HOMES[to] === undefined)) return true;
  return (to === 'pino' && typeOnly) || (HOMES[to]?.test(from) ?? false);
}

/**
 * Packages that are slow to load and needed by few processes, or late. Only the listed files may import them statically;
 * these files are loaded late themselves.
 */
const LOADED_LATE: Readonly<Record<string, RegExp | undefined>> = {
  '@aws-sdk/client-s3': /^src\/platform\/files\/s3-object-store\.ts$/,
  '@fastify/swagger': undefined,
  '@grpc/proto-loader': undefined,
  '@grpc/reflection': undefined,
  '@simplewebauthn/server': undefined,
  bcrypt: undefined,
  'ipaddr.js': /^src\/platform\/(?:http\/reachable-addresses|formats\/address-range)\.ts$/,
  jose: undefined,
  knex: undefined,
  mysql2: undefined,
  nodemailer: undefined,
  'node:http': /^(?:cli\/|src\/platform\/tracing\/otlp-|src\/platform\/http\/post-outside\.ts$)/,
  'pino-pretty': undefined,
  'postal-mime': undefined,
  'rate-limiter-flexible': undefined,
  redis: undefined,
  sharp: undefined,
  // All gateways need it. A core needs it for a bootstrap file only.
  typebox: /^(?:gateway\/type|src\/composition\/bootstrap\/(?:plan(?:-application|-file)?|import-accounts))\.ts$/,
  yaml: /^src\/composition\/bootstrap\/plan-file\.ts$/,
};

function isLoadedLate({ path, text }: Source): string[] {
  const isServed = /^(?:src|gateway)\//.test(path);
  return [...text.matchAll(STATIC_IMPORT)]
    .filter(([, type, to]) => {
      // Parts of jose are small.
      const name = to!.startsWith('jose/') ? to! : packageOf(to!);
      return isServed && type === undefined && name in LOADED_LATE && !LOADED_LATE[name]?.test(path);
    })
    .map(([, , to]) => `${path} -> ${to}`);
}

const RULES: readonly Rule[] = [
  {
    name: 'a package is imported only by its listed files',
    violations: eachImport(isAtHome),
    counterexample: [file('src/auth/session/login/login.ts', "import { SignJWT } from 'jose/jwt/sign';")],
  },
  {
    name: 'packages that most processes do not need are loaded late',
    violations: (sources) => sources.flatMap(isLoadedLate),
    counterexample: [file('src/platform/db/connect.ts', "import createKnex from 'knex';")],
  },
  {
    name: 'the packages of tracing are loaded only if tracing is on',
    violations: (sources) =>
      sources.flatMap((source) =>
        [...source.text.matchAll(STATIC_IMPORT)]
          .filter(([, type, to]) => type === undefined && /\/otlp-[^/]*\.ts$/.test(to!))
          .filter(() => !source.path.startsWith('src/platform/tracing/otlp-'))
          .map(([, , to]) => `${source.path} -> ${to}`),
      ),
    counterexample: [file('src/main.ts', "import { createOtlpTracing } from './tracing/otlp-tracing.ts';")],
  },
];

testRules(RULES);
