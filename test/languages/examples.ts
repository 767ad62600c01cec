// How each example is generated, compiled and started.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { PROJECT } from '../support/service-process.ts';
import { run, runShell, type CommandOptions } from './commands.ts';
import { followPage } from './follow-page.ts';
import { pythonEnvironment } from './python-environment.ts';
import { goTools, requirePrograms } from './toolchain.ts';

export interface Example {
  /** Follows the page of the language in an empty folder. Checks that the other way to generate code agrees. */
  build(workspace: string): Promise<void>;
  /** Builds and runs a program with the generated code and another vendor's package `error.v1`; resolves with its output. */
  linkOtherVendor?(workspace: string): Promise<string>;
  /** The program with its first arguments; `serve` or `tour` follows. */
  command(workspace: string): readonly [string, ...string[]];
}

const OTHER_VENDOR = 'test/languages/other-vendor';
/** The folder in which the page of the language is followed. */
export const folderOf = (workspace: string, language: string) => join(workspace, 'grpc', language);
const inFolder = (workspace: string, language: string, env: CommandOptions['env'] = {}) => ({
  cwd: folderOf(workspace, language),
  env,
});
/** Fails if two folders differ, apart from comments, which name the compiler, and embedded descriptors, where managed mode changes options. */
const compare = (folder: string, other: string) =>
  run('diff', ['-r', '-I', '^ *\\(//\\|#\\|\\*\\)', '-I', '^[ \t]*"', folder, other]);

/** The folder of Python's programs, with the packages of the example. */
const pythonBin = () => pythonEnvironment(join(PROJECT, 'examples/python/requirements.txt'));

/** A protoc that brings google/protobuf along: the one of grpcio-tools. */
const protoc = async () => `${await pythonBin()}/python3 -m grpc_tools.protoc`;

const BUF = join(PROJECT, 'node_modules/.bin');

export const LANGUAGES = ['go', 'java', 'python', 'typescript'] as const;
export type Language = (typeof LANGUAGES)[number];

export const EXAMPLES: Readonly<Record<Language, Example>> = {
  go: {
    async build(workspace) {
      requirePrograms('go');
      const options = inFolder(workspace, 'go', { PROTOC: await protoc() });
      await followPage('go', options.cwd);
      const tools = 'export PATH="$PWD/bin:$PATH"';
      await runShell(`${tools} && sh generate.sh target/gen`, options);
      await compare(join(options.cwd, 'gen'), join(options.cwd, 'target/gen'));
      await runShell('test -z "$(gofmt -l *.go)" && go vet .', options);
    },
    async linkOtherVendor(workspace) {
      const env = { PATH: await goTools('protoc-gen-go'), PROTOC: await protoc(), GOFLAGS: '-mod=mod' };
      const script = `mkdir -p gen && $PROTOC -I ../proto --go_out=gen --go_opt=paths=source_relative error/v1/reason.proto
        cp ${folderOf(workspace, 'go')}/go.sum . && go run .`;
      return runShell(script, { cwd: join(workspace, OTHER_VENDOR, 'go'), env });
    },
    command: (workspace) => [join(folderOf(workspace, 'go'), 'greeter')],
  },
  java: {
    async build(workspace) {
      requirePrograms('javac', 'mvn');
      const options = inFolder(workspace, 'java');
      await followPage('java', options.cwd);
      // The programs that Maven fetched, under the names that buf looks for.
      const repository = join(homedir(), '.m2/repository');
      const script = `mkdir -p target/bin
        ln -sf ${repository}/com/google/protobuf/protoc/3.25.8/protoc-3.25.8-*.exe target/bin/protoc
        ln -sf ${repository}/io/grpc/protoc-gen-grpc-java/1.80.0/protoc-gen-grpc-java-1.80.0-*.exe target/bin/protoc-gen-grpc-java
        chmod +x target/bin/protoc target/bin/protoc-gen-grpc-java
        PATH="${BUF}:$PWD/target/bin:$PATH" buf generate
        mkdir -p target/protoc && cp -r target/generated-sources/protobuf/*/* target/protoc`;
      await runShell(script, options);
      await compare(join(options.cwd, 'gen'), join(options.cwd, 'target/protoc'));
    },
    async linkOtherVendor(workspace) {
      const target = join(folderOf(workspace, 'java'), 'target');
      const script = `mkdir -p gen && ${target}/bin/protoc -I ../proto --java_out=gen error/v1/reason.proto
        classes="${target}/classes:${target}/lib/*"
        javac -d target/classes -cp "$classes" Vendor.java $(find gen -name '*.java')
        java -cp "target/classes:$classes" Vendor`;
      return runShell(script, { cwd: join(workspace, OTHER_VENDOR, 'java') });
    },
    command: (workspace) => ['java', '-jar', join(folderOf(workspace, 'java'), 'target/greeter-1.jar')],
  },
  python: {
    async build(workspace) {
      requirePrograms('python3');
      await followPage('python', folderOf(workspace, 'python'));
    },
    command: (workspace) => [join(folderOf(workspace, 'python'), '.venv/bin/python3'), 'main.py'],
  },
  typescript: {
    async build(workspace) {
      const options = inFolder(workspace, 'typescript', { PROTOC: await protoc() });
      await followPage('typescript', options.cwd);
      await runShell('sh generate.sh target/gen', options);
      await compare(join(options.cwd, 'gen'), join(options.cwd, 'target/gen'));
    },
    command: () => [process.execPath, 'src/main.ts'],
  },
};

const builds = new Map<string, Promise<void>>();

/** Builds an example, once in a process. */
export function buildOnce(language: Language, workspace: string): Promise<void> {
  const build = builds.get(language) ?? EXAMPLES[language].build(workspace);
  builds.set(language, build);
  return build;
}
