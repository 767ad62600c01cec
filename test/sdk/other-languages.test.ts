// The files of docs/grpc/{kotlin,php,rust}.md, compiled and run.
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { run, runShell } from '../languages/commands.ts';
import { startCore, type Core } from '../languages/cores.ts';
import { CACHE, requirePrograms } from '../languages/toolchain.ts';
import { emptyFolder, endProcesses, PROJECT } from '../support/service-process.ts';
import { classpath, JAVA, maven, pack } from './packages.ts';

const GOOGLE_PROTOS = '/usr/include/google/protobuf/descriptor.proto';
const OUTPUT = 'account: acme-sync\nwithout a token: TOKEN_MISSING\n';
/** A first run compiles all crates. */
const TIMEOUT_MS = 1_800_000;

let core: Core;
let archive: string;
beforeAll(async () => {
  core = await startCore();
  archive = (await pack('proto')).trim();
});
afterAll(endProcesses);

/** Copies the files of a page to an empty folder, with the protos. */
async function open(language: string): Promise<string> {
  const cwd = emptyFolder();
  cpSync(join(PROJECT, 'test/sdk/consumers', language), cwd, { recursive: true });
  mkdirSync(join(cwd, 'proto'));
  await run('tar', ['-xzf', archive, '-C', join(cwd, 'proto')]);
  return cwd;
}

it('Rust', { timeout: TIMEOUT_MS }, async () => {
  requirePrograms('cargo', 'protoc', GOOGLE_PROTOS);
  const cwd = await open('rust');
  const env = {
    ...core.env,
    CORE_URL: core.address.replace('dns:///', 'http://'),
    CARGO_TARGET_DIR: join(CACHE, 'rust'),
  };
  expect(await run('cargo', ['run', '--quiet'], { cwd, env })).toBe(OUTPUT);
});

it('Kotlin', { timeout: TIMEOUT_MS }, async () => {
  await pack('maven');
  const cwd = await open('kotlin');
  await maven(cwd, 'pom.xml', ['compile', 'dependency:build-classpath', `-Dmdep.outputFile=${cwd}/classpath`]);
  const path = await classpath(cwd, join(cwd, 'target/classes'));
  expect(await run('java', [...JAVA, '-cp', path, 'MainKt'], { cwd, env: core.env })).toBe(OUTPUT);
});

it('PHP', { timeout: TIMEOUT_MS }, async () => {
  requirePrograms('protoc', GOOGLE_PROTOS, 'grpc_php_plugin', 'php', '/usr/share/php/Google/Protobuf/Timestamp.php');
  const cwd = await open('php');
  expect(await runShell('sh generate.sh && php main.php', { cwd })).toBe('a token REASON_NOT_FOUND bearer_token\n');
  expect(
    await runShell('ls gen/Authservice/Identity/V1/IdentityServiceClient.php && find gen -name "*.php" | wc -l', {
      cwd,
    }),
  ).toMatch(/^gen\/\S+\n\d{3}/);
});
