// The workflows of GitHub Actions by actionlint: syntax, expressions, permissions, and the inputs of actions.
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { run } from '../languages/commands.ts';
import { goTools } from '../languages/toolchain.ts';
import { emptyFolder, PROJECT } from '../support/service-process.ts';

let env: Record<string, string>;

// A first run compiles it.
beforeAll(async () => {
  env = { PATH: await goTools('actionlint') };
}, 3_600_000);

it('accepts all workflows', async () => {
  expect(globSync('.github/workflows/*.yaml', { cwd: PROJECT }).length).toBeGreaterThan(1);
  await run('actionlint', [], { cwd: PROJECT, env });
});

it('refuses a workflow that uses an unknown output', async () => {
  const cwd = emptyFolder();
  mkdirSync(join(cwd, '.git'));
  cpSync(join(PROJECT, '.github'), join(cwd, '.github'), { recursive: true });
  const path = join(cwd, '.github/workflows/release.yaml');
  writeFileSync(path, readFileSync(path, 'utf8').replace('github.ref_name', 'github.ref_nam'));
  await expect(run('actionlint', [], { cwd, env })).rejects.toThrow(/ref_nam/);
});
