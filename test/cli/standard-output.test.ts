// Standard output that cannot be written: the command line as a process.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { emptyFolder, PROJECT } from '../support/service-process.ts';

/** Runs a command of bash, with Node as `$0` and the folder of the command line as `$1`. */
function inShell(command: string) {
  const argv = ['-c', command, process.execPath, join(PROJECT, 'cli')];
  return new Promise<{ readonly code: number | string; readonly error: string }>((resolve) => {
    execFile('bash', argv, { cwd: emptyFolder() }, (failure, _, error) => resolve({ code: failure?.code ?? 0, error }));
  });
}

it('exits with 1 and one line on standard error if the disk is full', async () => {
  expect(await inShell('"$0" "$1/main.ts" completion bash > /dev/full')).toEqual({
    code: 1,
    error: expect.stringMatching(/^standard output: .*ENOSPC.*\n$/),
  });
});

it('exits with 0 if the reader has closed the pipe', async () => {
  expect(await inShell('set -o pipefail; "$0" "$1/main.ts" completion bash | true')).toEqual({ code: 0, error: '' });
});

it('fails if a file takes only the first part of a text', async () => {
  const script = `import { processTerminal } from '$1/terminal/process-terminal.ts';
    processTerminal(new AbortController().signal).out('x'.repeat(5_000));`;
  expect(await inShell(`ulimit -f 1; "$0" --input-type=module -e "${script}" > out.txt`)).toEqual({
    code: 1,
    error: expect.stringContaining('standard output: EFBIG'),
  });
});
