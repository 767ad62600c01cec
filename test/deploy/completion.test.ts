// Completion in the shells of Debian, with the scripts that the program prints.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { SHELLS } from '../../cli/completion-script.ts';
import { requirePrograms } from '../languages/toolchain.ts';
import { emptyFolder, PROJECT } from '../support/service-process.ts';

const PRESS_TAB = join(PROJECT, 'test/deploy/press-tab.py');

/** What users type before Tab, and what the shell then adds or shows. */
const CASES = [
  ['authservice tenant sus', 'authservice tenant suspend'],
  ['authservice api-key is', 'authservice api-key issue'],
  ['authservice completion f', 'authservice completion fish'],
  ['authservice user create ann --role PUR', 'authservice user create ann --role PURCHASER'],
  ['authservice user import --dr', 'authservice user import --dry-run'],
  ['authservice user import customers-of', 'authservice user import customers-of-acme.csv'],
  ['authservice whoami --tls-ca customers-of', 'authservice whoami --tls-ca customers-of-acme.csv'],
] as const;

let folder: string;
let env: NodeJS.ProcessEnv;

beforeAll(() => {
  requirePrograms('python3');
  folder = emptyFolder();
  const program = join(folder, 'authservice');
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${PROJECT}/cli/main.ts" "$@"\n`, { mode: 0o755 });
  env = {
    ...process.env,
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, '.config'),
    PATH: `${folder}:${process.env['PATH']}`,
  };
  for (const shell of SHELLS)
    writeFileSync(join(folder, `_${shell}`), execFileSync(program, ['completion', shell], { env }));
  mkdirSync(join(folder, '.zfunc'));
  writeFileSync(join(folder, '.zfunc/_authservice'), execFileSync(program, ['completion', 'zsh'], { env }));
  writeFileSync(join(folder, 'customers-of-acme.csv'), '');
});

const run = (command: string, ...args: string[]) => spawnSync(command, args, { cwd: folder, env, encoding: 'utf8' });

const ON_TERMINAL = {
  bash: { setUp: '. /usr/share/bash-completion/bash_completion; . ./_bash', shell: ['bash', '--norc', '-i'] },
  zsh: { setUp: 'fpath=(~/.zfunc $fpath); autoload -Uz compinit; compinit -u -D', shell: ['zsh', '-f', '-i'] },
} as const;

describe.each(['bash', 'zsh'] as const)('%s', (name) => {
  it.each(CASES)('completes “%s”', (typed, expected) => {
    const { setUp, shell } = ON_TERMINAL[name];
    const { status, stdout } = run('python3', PRESS_TAB, setUp, typed, expected, ...shell);
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining(expected) });
  });
});

describe('fish', () => {
  it.each(CASES)('completes “%s”', (typed, expected) => {
    const { stdout } = run('fish', '-c', `source _fish; complete --do-complete "${typed}"`);
    const candidates = stdout.split('\n').map((line) => line.split('\t')[0]);
    expect(candidates).toContain(expected.split(' ').at(-1));
  });
});
