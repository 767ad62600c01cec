// Checks the protos: lint, drift of the generated code, and breaking changes against the committed image of the last
// release (`--accept` replaces that image, which is a decision and shows in the diff).
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const BASELINE = 'proto/baseline.binpb';
const GENERATIONS = [
  { out: 'proto/gen', args: [] },
  {
    out: 'test/proto/gen',
    args: [
      '--config',
      '{"version":"v2","modules":[{"path":"proto"},{"path":"test/proto"}]}',
      '--template',
      'test/proto/buf.gen.yaml',
      '--path',
      'test/proto/kittest',
    ],
  },
];

if (process.argv.includes('--accept')) {
  run('buf', ['build', 'proto', '-o', BASELINE]);
} else if (process.argv.includes('--generate')) {
  for (const { args } of GENERATIONS) run('buf', ['generate', ...args]);
} else {
  run('buf', ['lint']);
  run('buf', ['breaking', 'proto', '--against', BASELINE]);
  for (const { out, args } of GENERATIONS) checkDrift(out, args);
  process.stdout.write('protos: lint, breaking changes and generated code are in order\n');
}

function checkDrift(out: string, args: readonly string[]): void {
  const directory = mkdtempSync(join(tmpdir(), 'generated-'));
  try {
    run('buf', ['generate', ...args, '--output', directory]);
    run('diff', ['--recursive', '--brief', out, join(directory, out)]);
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
