// Checks the protos: lint, drift of the generated code, and breaking changes since the last release (the newest tag v*, once
// there is one).
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useOwnWire } from './generated-codecs.ts';
import { protoComments } from './proto-comments.ts';

interface Generation {
  /** The output folder. It contains only generated files. */
  readonly out: string;
  /** A file in the folder: a google.protobuf.FileDescriptorSet. */
  readonly descriptors: string;
  /** A file in the folder: the comments of the protos by name. */
  readonly comments?: string;
  /** Arguments of buf that select the protos. */
  readonly inputs: readonly string[];
  readonly args: readonly string[];
}

/** ts-proto writes the code of imported files. Only the options of the protos import these; nothing uses their code. */
const UNUSED = ['proto/gen/google/protobuf/descriptor.ts', 'proto/gen/google/api'];
/** Descriptors for the core's reflection and its checks of requests. */
const DESCRIPTORS = 'proto/gen/descriptors.binpb';
const GENERATIONS: readonly Generation[] = [
  { out: 'proto/gen', descriptors: DESCRIPTORS, comments: 'proto/gen/comments.json', inputs: [], args: [] },
  {
    out: 'test/proto/gen',
    descriptors: 'test/proto/gen/descriptors.binpb',
    inputs: [
      '--config',
      '{"version":"v2","modules":[{"path":"proto"},{"path":"test/proto"}]}',
      '--path',
      'test/proto/kittest',
    ],
    args: ['--template', 'test/proto/buf.gen.yaml'],
  },
];

if (process.argv.includes('--generate')) {
  for (const generation of GENERATIONS) generate(generation, '.');
} else {
  run('buf', ['lint']);
  const release = lastRelease();
  if (release !== undefined) run('buf', ['breaking', '--against', `.git#tag=${release}`]);
  for (const generation of GENERATIONS) checkDrift(generation);
  process.stdout.write('protos: lint, breaking changes and generated code are in order\n');
}

function generate({ out, descriptors, comments, inputs, args }: Generation, directory: string): void {
  run('buf', ['generate', ...inputs, ...args, '--output', directory]);
  for (const path of UNUSED) rmSync(join(directory, path), { force: true, recursive: true });
  useOwnWire(directory, out);
  const output = join(directory, descriptors);
  run('buf', ['build', ...inputs, '--as-file-descriptor-set', '--exclude-source-info', '-o', output]);
  if (comments) writeFileSync(join(directory, comments), `${JSON.stringify(protoComments(), undefined, 2)}\n`);
}

function lastRelease(): string | undefined {
  const { stdout } = spawnSync('git', ['tag', '--list', 'v*', '--sort=-version:refname'], { encoding: 'utf8' });
  return stdout.split('\n')[0] || undefined;
}

function checkDrift(generation: Generation): void {
  const directory = mkdtempSync(join(tmpdir(), 'generated-'));
  try {
    generate(generation, directory);
    run('diff', ['--recursive', '--brief', generation.out, join(directory, generation.out)]);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function run(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) {
    process.stderr.write(`${command} ${args.join(' ')} failed\n`);
    process.exit(status ?? 1);
  }
}
