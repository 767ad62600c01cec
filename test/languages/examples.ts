// How each example is generated, compiled and started.
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { PROJECT } from '../support/service-process.ts';
import { run, runShell, type CommandOptions } from './commands.ts';
import { pythonEnvironment } from './python-environment.ts';
import { goTools, requirePrograms } from './toolchain.ts';

export interface Example {
  /** Generates the code in both ways that the docs show, which must agree, and compiles. */
  build(workspace: string): Promise<void>;
  /** Builds and runs a program with the generated code and another vendor's package `error.v1`; resolves with its output. */
  linkOtherVendor?(workspace: string): Promise<string>;
  /** The program with its first arguments; `serve` or `tour` follows. */
  command(workspace: string): Promise<readonly [string, ...string[]]> | readonly [string, ...string[]];
}

const OTHER_VENDOR = 'test/languages/other-vendor';
const folderOf = (workspace: string, language: string) => join(workspace, 'examples', language);
const inFolder = (workspace: string, language: string, env: CommandOptions['env'] = {}) => ({
  cwd: folderOf(workspace, language),
  env,
});
/** Fails if two folders differ, apart from comments, which name the compiler, and embedded descriptors, where managed mode changes options. */
const compare = (folder: string, other: string) =>
  run('diff', ['-r', '-I', '^ *\\(//\\|#\\|\\*\\)', '-I', '^[ \t]*"', folder, other]);

/** The folder of Python's programs, with the packages of the example. */
const pythonBin = (workspace: string) => pythonEnvironment(join(folderOf(workspace, 'python'), 'requirements.txt'));

/** A protoc that brings google/protobuf along: the one of grpcio-tools. */
const protoc = async (workspace: string) => `${await pythonBin(workspace)}/python3 -m grpc_tools.protoc`;

const BUF = join(PROJECT, 'node_modules/.bin');

export const LANGUAGES = ['go', 'java', 'python', 'typescript'] as const;
export type Language = (typeof LANGUAGES)[number];

export const EXAMPLES: Readonly<Record<Language, Example>> = {
  go: {
    async build(workspace) {
      const tools = await goTools('protoc-gen-go', 'protoc-gen-go-grpc');
      const env = { PATH: [BUF, tools].join(delimiter), PROTOC: await protoc(workspace) };
      const options = inFolder(workspace, 'go', env);
      await run('buf', ['generate'], options);
      await runShell('rm -rf target/gen && ./generate.sh target/gen', options);
      await compare(join(options.cwd, 'gen'), join(options.cwd, 'target/gen'));
      await runShell('test -z "$(gofmt -l *.go)" && go vet . && go build -o target/greeter .', options);
    },
    async linkOtherVendor(workspace) {
      const env = { PATH: await goTools('protoc-gen-go'), PROTOC: await protoc(workspace), GOFLAGS: '-mod=mod' };
      const script = `mkdir -p gen && $PROTOC -I ../proto --go_out=gen --go_opt=paths=source_relative error/v1/reason.proto
        cp ../../../../examples/go/go.sum . && go run .`;
      return runShell(script, { cwd: join(workspace, OTHER_VENDOR, 'go'), env });
    },
    command: (workspace) => [join(folderOf(workspace, 'go'), 'target/greeter')],
  },
  java: {
    async build(workspace) {
      requirePrograms('javac', 'mvn');
      const options = inFolder(workspace, 'java');
      // The folder is kept between runs: code of a message that was renamed would stay in it.
      await runShell('rm -rf target', options);
      await run('mvn', ['--batch-mode', '--quiet', 'package'], options);
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
      const bin = await pythonBin(workspace);
      const options = inFolder(workspace, 'python', { PATH: [bin, process.env['PATH']].join(delimiter) });
      await runShell('rm -rf gen && ./generate.sh && python3 -m compileall -q *.py', options);
    },
    command: async (workspace) => [join(await pythonBin(workspace), 'python3'), 'main.py'],
  },
  typescript: {
    async build(workspace) {
      const options = inFolder(workspace, 'typescript', { PROTOC: await protoc(workspace) });
      await runShell(
        `[ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --no-audit --no-fund
         rm -rf target && PATH="$PWD/node_modules/.bin:$PATH" npm run generate && ./generate.sh target/gen && npm run types`,
        options,
      );
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
