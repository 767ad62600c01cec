// Clients in other languages, generated from a document by openapi-generator and compiled.
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { run } from '../languages/commands.ts';
import { requirePrograms } from '../languages/toolchain.ts';
import { PROJECT } from '../support/service-process.ts';
import { pythonPackages } from './cache.ts';

const VERSION = '7.16.0';
const ARTIFACT = 'openapi-generator-cli';
const SOURCE = join(PROJECT, 'test/openapi/clients');

export const LANGUAGES = ['java', 'go', 'python', 'typescript'] as const;
export type Language = (typeof LANGUAGES)[number];

interface Client {
  readonly generator: string;
  readonly options: Readonly<Record<string, unknown>>;
  /** Where the generated code goes, below the client's folder. */
  readonly code: string;
  /** Where the program goes that uses it. */
  readonly program: string;
  /** Compiles both and returns the command of the program. */
  compile(folder: string): Promise<readonly [string, ...string[]]>;
}

const CLIENTS: Readonly<Record<Language, Client>> = {
  java: {
    generator: 'java',
    options: { additionalProperties: { library: 'native', openApiNullable: false } },
    code: '.',
    program: 'src/main/java/com/example/Tour.java',
    async compile(folder) {
      cpSync(join(SOURCE, 'java/pom.xml'), join(folder, 'pom.xml'));
      await run('mvn', ['-q', '-B', '-ntp', 'package'], { cwd: folder });
      return [
        'java',
        '-cp',
        join(folder, 'target/classes') + ':' + join(folder, 'target/dependency/*'),
        'com.example.Tour',
      ];
    },
  },
  go: {
    generator: 'go',
    options: {
      additionalProperties: { packageName: 'authservice' },
      gitHost: 'example.com',
      gitUserId: 'authservice',
      gitRepoId: 'client',
    },
    code: '.',
    program: 'cmd/tour/tour.go',
    async compile(folder) {
      await run('go', ['build', '-o', 'tour', './cmd/tour'], { cwd: folder });
      return [join(folder, 'tour')];
    },
  },
  python: {
    generator: 'python',
    options: { additionalProperties: { packageName: 'authservice_client' } },
    code: '.',
    program: 'tour.py',
    async compile(folder) {
      const programs = await pythonPackages('generated-client', join(SOURCE, 'python/requirements.txt'));
      await run(join(programs, 'python3'), ['-m', 'compileall', '-q', 'authservice_client'], { cwd: folder });
      return [join(programs, 'python3'), join(folder, 'tour.py')];
    },
  },
  typescript: {
    generator: 'typescript-fetch',
    options: { additionalProperties: { importFileExtension: '.js' } },
    code: 'client',
    program: 'tour.ts',
    async compile(folder) {
      cpSync(join(SOURCE, 'typescript/tsconfig.json'), join(folder, 'tsconfig.json'));
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
      const typeRoots = ['--typeRoots', join(PROJECT, 'node_modules/@types')];
      await run(join(PROJECT, 'node_modules/.bin/tsc'), ['-p', folder, ...typeRoots]);
      return [process.execPath, join(folder, 'out/tour.js')];
    },
  },
};

/** Generates the clients of a document, all at once, each into a folder of its own below `folder`. */
export async function generateClients(document: string, folder: string): Promise<void> {
  requirePrograms('javac', 'mvn', 'go');
  const configurations = LANGUAGES.map((language) => {
    const { generator, options, code } = CLIENTS[language];
    const only = { apis: '', models: '', supportingFiles: '', apiTests: 'false', modelTests: 'false' };
    const outputDir = join(folder, language, code);
    const file = join(folder, `${language}.json`);
    const globalProperties = { ...only, apiDocs: 'false', modelDocs: 'false' };
    writeFileSync(
      file,
      JSON.stringify({ generatorName: generator, inputSpec: document, outputDir, globalProperties, ...options }),
    );
    return file;
  });
  await run('java', ['-jar', await generatorJar(), 'batch', '--fail-fast', ...configurations]);
}

/** Compiles a generated client with the program that uses it, and returns the program's command. */
export async function compileClient(language: Language, folder: string): Promise<readonly [string, ...string[]]> {
  const { program, compile } = CLIENTS[language];
  const target = join(folder, language, program);
  mkdirSync(join(target, '..'), { recursive: true });
  cpSync(join(SOURCE, language, program.split('/').at(-1)!), target);
  return compile(join(folder, language));
}

/** The generator, by Maven, which keeps it. */
async function generatorJar(): Promise<string> {
  const jar = join(homedir(), '.m2/repository/org/openapitools', ARTIFACT, VERSION, `${ARTIFACT}-${VERSION}.jar`);
  const artifact = `org.openapitools:${ARTIFACT}:${VERSION}`;
  if (!existsSync(jar))
    await run('mvn', ['-q', '-B', '-ntp', 'dependency:get', `-Dartifact=${artifact}`, '-Dtransitive=false']);
  return jar;
}
