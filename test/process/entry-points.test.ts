// --help and --version of every entry point, as processes.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT } from '../support/service-process.ts';

const { version, bin } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'));

const AUTHSERVICE = join(PROJECT, bin.authservice);

function start([program, ...options]: readonly string[], flag: string) {
  return new Promise<{ code: number; out: string; error: string }>((resolve) => {
    execFile(program!, [...options, flag], { env: {} }, (failure, out, error) =>
      resolve({ code: Number(failure?.code ?? 0), out, error }),
    );
  });
}

it.each([
  [
    'gateway/main.ts',
    [process.execPath, join(PROJECT, 'gateway/main.ts')],
    /^usage: authservice start[^]*npm start --/,
  ],
  ['src/main.ts', [process.execPath, join(PROJECT, 'src/main.ts')], /^usage: authservice core[^]*npm run core --/],
  ['authservice', [AUTHSERVICE], /^Usage: authservice/],
] as const)('%s prints its usage and its version, without settings', async (_name, command, usage) => {
  const [help, versioned] = await Promise.all([start(command, '--help'), start(command, '--version')]);
  expect(help).toEqual({ code: 0, out: expect.stringMatching(usage), error: '' });
  expect(versioned).toEqual({ code: 0, out: `${version}\n`, error: '' });
});

it('completes commands and options for a shell', async () => {
  const candidates = (...words: string[]) =>
    new Promise<string[]>((resolve) => {
      const argv = ['complete', '--', ...words];
      execFile(AUTHSERVICE, argv, (_failure, out) => resolve(out.split('\n').map((line) => line.split('\t')[0]!)));
    });
  expect(await candidates('user', 'cr')).toContain('create');
  expect(await candidates('user', 'create', '--te')).toEqual(['--tenant', ':4', '']);
});
