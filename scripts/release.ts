// Prepares a release: `npm run release`. It checks the tree, the versions and the changelog, runs the checks, and builds all
// artifacts. Then it creates the tags. It never publishes: the workflow release.yaml does that for a pushed tag. With --dry-run, it
// creates no tags, and a problem does not stop it. --preflight only checks. docs/releasing.md explains the rest.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BUILD, listArtifacts, missingMavenArchives, PACK_SCRIPTS } from './release/artifacts.ts';
import { changelogProblems, releaseNotes } from './release/changelog.ts';
import { projectVersion, versionProblems } from './release/versions.ts';
import { createSbom } from './sbom/document.ts';
import { shippedPackages } from './sbom/shipped-packages.ts';
import { describeSource } from './sbom/source.ts';

const PROJECT = join(import.meta.dirname, '..');

interface Step {
  readonly name: string;
  /** Returns the problems. */
  readonly run: () => readonly string[];
}

const { values: options } = parseArgs({
  options: { 'dry-run': { type: 'boolean' }, preflight: { type: 'boolean' }, help: { type: 'boolean' } },
});
const version = projectVersion(PROJECT);
const tags = [`v${version}`, `sdk/go/v${version}`];
const changelog = () => readFileSync(join(PROJECT, 'CHANGELOG.md'), 'utf8');

const PREFLIGHT: readonly Step[] = [
  { name: 'clean tree', run: () => (git('status', '--porcelain') === '' ? [] : ['commit or remove the changes']) },
  { name: 'versions', run: () => versionProblems(PROJECT) },
  { name: 'changelog', run: () => changelogProblems(changelog(), version) },
  { name: 'tag', run: tagProblems },
];
const BUILDS: readonly Step[] = [
  { name: 'npm run check', run: () => npm('run', '-s', 'check') },
  ...PACK_SCRIPTS.filter(hasScript).map((name) => ({ name: `npm run ${name}`, run: () => npm('run', '-s', name) })),
  { name: 'list of components', run: writeSbom },
  { name: 'list of artifacts', run: writeSums },
];

if (options.help) console.log('Usage: npm run release [-- --dry-run | --preflight]');
else release(options.preflight ? PREFLIGHT : [...PREFLIGHT, ...BUILDS]);

function release(steps: readonly Step[]): void {
  let failed = 0;
  for (const { name, run } of steps) {
    const begun = performance.now();
    const problems = run();
    console.log(`${problems.length === 0 ? 'ok     ' : 'FAILED '} ${name} (${seconds(begun)} s)`);
    for (const problem of problems) console.log(`         ${problem}`);
    if (problems.length > 0) failed++;
    if (failed > 0 && !options['dry-run'] && !options.preflight) break;
  }
  if (failed > 0) process.exitCode = 1;
  if (options.preflight) return;
  if (failed === 0 && !options['dry-run']) for (const tag of tags) git('tag', '--annotate', tag, '--message', tag);
  else if (failed > 0) console.log(`\n${failed} step(s) failed; no tag was created.`);
  if (failed === 0 || options['dry-run']) console.log(`\n${instructions()}`);
}

function instructions(): string {
  return `What a person does for version ${version}:

Once, before the first release (docs/releasing.md#set-up-once):
  1. Own the names: authservice, authservice-client and authservice-grpc on npm, authservice on PyPI, a namespace on Maven Central,
     a module on the Buf registry, and the repository with its packages (image and chart).
  2. Make the workflow release.yaml a trusted publisher of the packages on npm and PyPI. They need no tokens.
  3. Set the secrets BUF_TOKEN, MAVEN_USERNAME, MAVEN_PASSWORD, MAVEN_GPG_KEY and MAVEN_GPG_PASSPHRASE in the environment "release".
  4. Complete sdk/java/pom.xml for Maven Central: url, developers and scm.

For this release:
  1. ${options['dry-run'] ? `npm run release                            creates the tags ${tags.join(' and ')}` : `The tags ${tags.join(' and ')} exist now.`}
  2. git push origin main ${tags.join(' ')}
     The workflow release.yaml tests, builds, signs and publishes in this order: image, chart, npm, PyPI, Maven, Buf, GitHub.
  3. Approve the environment "release" when the workflow asks for it.
  4. Check the release from an empty folder: docs/releasing.md#check-a-release
  5. Make the fixture of the upgrade test: node scripts/upgrade-fixture.ts v${version}
  6. Raise the version in package.json and the files that \`npm run check\` names.`;
}

function tagProblems(): string[] {
  const pushed = process.env['GITHUB_REF_TYPE'] === 'tag' ? process.env['GITHUB_REF_NAME'] : undefined;
  if (pushed !== undefined) return pushed === tags[0] ? [] : [`the tag is ${pushed}, and package.json has ${version}`];
  return tags
    .filter((tag) => git('tag', '--list', tag) !== '')
    .map((tag) => `the tag ${tag} exists: raise the version`);
}

function writeSbom(): string[] {
  mkdirSync(join(PROJECT, BUILD), { recursive: true });
  const text = createSbom(describeSource(PROJECT), shippedPackages(PROJECT));
  writeFileSync(join(PROJECT, BUILD, `authservice-${version}.cdx.json`), text);
  return [];
}

/** Writes the digests of all artifacts, and the notes of the release. */
function writeSums(): string[] {
  const artifacts = listArtifacts(PROJECT);
  for (const { path, bytes, sha256 } of artifacts) {
    console.log(`         ${path}  ${(bytes / 1e6).toFixed(2)} MB  sha256:${sha256.slice(0, 16)}…`);
  }
  const lines = artifacts.map(({ path, sha256 }) => `${sha256}  ${path.slice(BUILD.length + 1)}\n`);
  writeFileSync(join(PROJECT, BUILD, 'SHA256SUMS'), lines.join(''));
  try {
    writeFileSync(join(PROJECT, BUILD, 'notes.md'), `${releaseNotes(changelog(), version)}\n`);
  } catch (error) {
    return [(error as Error).message];
  }
  if (artifacts.length === 0) return [`${BUILD}/ has no artifacts`];
  return missingMavenArchives(PROJECT).map((path) => `${path} is missing; Maven Central requires it`);
}

function hasScript(name: string): boolean {
  const { scripts } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as { scripts: object };
  return Object.hasOwn(scripts, name);
}

function npm(...args: string[]): string[] {
  const { status, stdout, stderr } = spawnSync('npm', args, { cwd: PROJECT, encoding: 'utf8', maxBuffer: 2 ** 28 });
  return status === 0 ? [] : `${stdout}${stderr}`.trim().split('\n').slice(-12);
}

function git(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('git', args, { cwd: PROJECT, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr.trim()}`);
  return stdout.trim();
}

function seconds(begun: number): string {
  return ((performance.now() - begun) / 1_000).toFixed(1);
}
