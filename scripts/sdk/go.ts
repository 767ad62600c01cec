// The Go module: its generated code is committed in sdk/go, because the Go command takes modules from the repository.
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT, run } from './commands.ts';
import { exportProtos } from './protos.ts';
import { serviceConfig } from './service-config.ts';
import { BUILD, emptyFolder, VERSION } from './staging.ts';

const FOLDER = join(PROJECT, 'sdk/go');
const GENERATORS = {
  'protoc-gen-go': 'google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12',
  'protoc-gen-go-grpc': 'google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2',
};

/** The path that Go programs import. */
const modulePath = (): string => /^module (\S+)$/m.exec(readFileSync(join(FOLDER, 'go.mod'), 'utf8'))![1]!;

/** Writes the generated files to a folder, by default those that are committed. */
export function generateGo(folder = FOLDER): void {
  const protos = exportProtos(join(BUILD, 'sdk/go-proto'));
  const template = {
    version: 'v2',
    managed: {
      enabled: true,
      override: [{ file_option: 'go_package_prefix', value: modulePath() }],
      disable: [{ path: 'google/api' }],
    },
    plugins: Object.values(GENERATORS).map((generator) => ({
      local: ['go', 'run', generator],
      out: folder,
      opt: 'paths=source_relative',
      strategy: 'all',
    })),
  };
  rmSync(join(folder, 'authservice'), { recursive: true, force: true });
  run('buf', ['generate', protos, '--template', JSON.stringify(template), '--path', join(protos, 'authservice')]);
  writeFileSync(join(folder, 'service-config.json'), serviceConfig());
}

/** Sets the path of the module in all its files: that of the repository in which it is published, with /sdk/go. */
export function moveGoModule(path: string): void {
  const former = modulePath();
  for (const file of globSync('**/*.{go,mod,md}', { cwd: FOLDER })) {
    const text = readFileSync(join(FOLDER, file), 'utf8');
    writeFileSync(join(FOLDER, file), text.replaceAll(former, path));
  }
}

/** Writes the files that a module proxy serves: GOPROXY=file://…/build/go. Returns that folder. */
export function packGo(): string {
  const proxy = join(BUILD, 'go');
  const folder = emptyFolder(join(proxy, modulePath(), '@v'));
  const version = `v${VERSION}`;
  // As git would tag it: the files of the folder, ignored ones excepted.
  const index = { GIT_INDEX_FILE: join(BUILD, 'sdk/go-index') };
  rmSync(index.GIT_INDEX_FILE, { force: true });
  run('git', ['add', 'sdk/go'], { env: index });
  const tree = run('git', ['write-tree', '--prefix=sdk/go/'], { env: index }).trim();
  const prefix = `${modulePath()}@${version}/`;
  run('git', ['archive', '--format=zip', `--prefix=${prefix}`, `--output=${join(folder, `${version}.zip`)}`, tree]);
  writeFileSync(join(folder, `${version}.mod`), readFileSync(join(FOLDER, 'go.mod')));
  writeFileSync(
    join(folder, `${version}.info`),
    `${JSON.stringify({ Version: version, Time: '1980-01-01T00:00:00Z' })}\n`,
  );
  writeFileSync(join(folder, 'list'), `${version}\n`);
  return proxy;
}
