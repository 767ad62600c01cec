// Standard output that cannot be written: the command line as a process.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT } from '../support/service-process.ts';

/** Prints its help into a target of the shell. */
function printHelp(target: string): Promise<{ readonly code: number | string; readonly error: string }> {
  const command = `set -o pipefail; "$0" "$1" --help ${target}`;
  const argv = ['-c', command, process.execPath, join(PROJECT, 'cli/main.ts')];
  return new Promise((resolve) => {
    execFile('bash', argv, (failure, _, error) => resolve({ code: failure?.code ?? 0, error }));
  });
}

it('exits with 1 and one line on standard error if the disk is full', async () => {
  expect(await printHelp('> /dev/full')).toEqual({
    code: 1,
    error: expect.stringMatching(/^standard output: .*ENOSPC.*\n$/),
  });
});

it('exits with 0 if the reader has closed the pipe', async () => {
  expect(await printHelp('| true')).toEqual({ code: 0, error: '' });
});
