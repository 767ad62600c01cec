// The packages of `npm run pack:sdk`, installed in empty folders as users do.
import { cpSync, globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILD, VERSION } from '../../scripts/sdk/staging.ts';
import { run } from '../languages/commands.ts';
import { requirePrograms } from '../languages/toolchain.ts';
import { emptyFolder, PROJECT } from '../support/service-process.ts';

export const LANGUAGES = ['typescript', 'python', 'go', 'java'] as const;
export type Language = (typeof LANGUAGES)[number];

export interface Consumer {
  readonly cwd: string;
  /** The program with its first arguments; `tour` or `machine` follows. */
  readonly command: readonly [string, ...string[]];
}

const MAVEN_REPOSITORY = join(BUILD, 'maven');

/** Options of programs that run for seconds: no time for the compiler that makes them fast. */
export const JAVA = ['-XX:TieredStopAtLevel=1'] as const;

/** The files of a run share this module, and three of them use the Maven repository. */
const packed = new Map<string, Promise<string>>();

/** Packs the packages of this name in a process of its own, once in a run. */
export function pack(name: string): Promise<string> {
  const done =
    packed.get(name) ?? run(process.execPath, [join(PROJECT, 'scripts/pack-sdk.ts'), name], { cwd: PROJECT });
  packed.set(name, done);
  return done;
}

/** Copies the consumer of a language to an empty folder and installs its package there. */
export async function install(language: Language): Promise<Consumer> {
  const cwd = emptyFolder();
  cpSync(join(PROJECT, 'test/sdk/consumers', language), cwd, { recursive: true });
  return { cwd, command: await INSTALLERS[language](cwd) };
}

const INSTALLERS: Readonly<Record<Language, (cwd: string) => Promise<Consumer['command']>>> = {
  async typescript(cwd) {
    writeFileSync(join(cwd, 'package.json'), '{"private": true, "type": "module"}');
    const archive = join(BUILD, `authservice-grpc-${VERSION}.tgz`);
    const { devDependencies } = await import('../../package.json', { with: { type: 'json' } }).then(
      (file) => file.default,
    );
    const packages = [archive, `@types/node@${devDependencies['@types/node']}`, 'nice-grpc@2'];
    await run('npm', ['install', '--silent', '--ignore-scripts', '--no-audit', '--no-fund', ...packages], { cwd });
    await run(join(PROJECT, 'node_modules/.bin/tsc'), ['-p', cwd]);
    return [process.execPath, join(cwd, 'out/main.js')];
  },
  async python(cwd) {
    await run('python3', ['-m', 'venv', '.venv'], { cwd });
    const wheel = join(BUILD, `authservice-${VERSION}-py3-none-any.whl`);
    await run('.venv/bin/pip', ['install', '--quiet', '--disable-pip-version-check', wheel], { cwd });
    return [join(cwd, '.venv/bin/python3'), 'main.py'];
  },
  async go(cwd) {
    requirePrograms('go');
    const module = (await run('go', ['list', '-m'], { cwd: join(PROJECT, 'sdk/go') })).trim();
    const env = {
      GOPROXY: `file://${join(BUILD, 'go')},${await run('go', ['env', 'GOPROXY']).then((text) => text.trim())}`,
      GONOSUMDB: module,
      // A packed version never changes for users, but it does here.
      GOMODCACHE: await moduleCache(module),
    };
    await run('go', ['get', `${module}@v${VERSION}`], { cwd, env });
    await run('go', ['mod', 'tidy'], { cwd, env });
    await run('go', ['build', '-o', 'shop', '.'], { cwd, env });
    return [join(cwd, 'shop')];
  },
  async java(cwd) {
    await maven(cwd, 'pom.xml', ['compile', 'dependency:build-classpath', `-Dmdep.outputFile=${cwd}/classpath`]);
    return ['java', ...JAVA, '-cp', await classpath(cwd, join(cwd, 'target/classes')), 'shop.Main'];
  },
};

/** The user's cache without an earlier packed version of the module. */
async function moduleCache(module: string): Promise<string> {
  const cache = (await run('go', ['env', 'GOMODCACHE'])).trim();
  const packed = globSync(`${cache}/{${module}@*,cache/download/${module}}`);
  if (packed.length > 0) await run('bash', ['-c', 'chmod -R u+w "$@" && rm -r "$@"', 'bash', ...packed]);
  return cache;
}

/** Runs Maven on a project that takes the packages of the repository of `pack:sdk`. */
export async function maven(cwd: string, pom: string, goals: readonly string[]): Promise<void> {
  const settings = join(emptyFolder(), 'settings.xml');
  const repository = `<repository><id>packed</id><url>file://${MAVEN_REPOSITORY}</url></repository>`;
  const profile = `<profile><id>packed</id><repositories>${repository}</repositories></profile>`;
  const active = '<activeProfiles><activeProfile>packed</activeProfile></activeProfiles>';
  writeFileSync(settings, `<settings><profiles>${profile}</profiles>${active}</settings>`);
  await forgetPackedArtifacts();
  // A daemon of Kotlin would outlive the test by hours.
  const options = [
    '--batch-mode',
    '--quiet',
    '-Dkotlin.compiler.daemon=false',
    '-s',
    settings,
    '-f',
    pom,
    `-Dauthservice.version=${VERSION}`,
  ];
  await run('mvn', [...options, ...goals], { cwd });
}

/** Maven keeps released versions in the user's repository for ever, but here they change. */
export const forgetPackedArtifacts = () => run('bash', ['-c', 'rm -rf ~/.m2/repository/io/authservice']);

/** The class path of a Maven project, which Maven wrote to the file `classpath`. */
export const classpath = async (folder: string, classes: string): Promise<string> =>
  [classes, (await run('cat', [join(folder, 'classpath')])).trim()].join(':');
