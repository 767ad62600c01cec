// The command line on real terminals, and through npm.
import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { seedAccount } from '../support/accounts.ts';
import { operatorEnv } from '../support/cli.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { runOnTerminal } from '../support/on-terminal.ts';
import { emptyFolder, PROJECT } from '../support/service-process.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase('sqlite');
  await seedAccount(test.database, { tenantId: 'acme', username: 'old@acme.test' });
});
afterAll(() => test.drop());

it('shows every rejected line of an import above the progress bar', async () => {
  const cwd = emptyFolder();
  const rows = Array.from({ length: 1_500 }, (_, index) => ({ username: `u${index}@acme.test`, tenantId: 'acme' }));
  const rejected = (index: number) => index % 100 === 50;
  const lines = rows.map((row, index) => JSON.stringify({ ...row, roles: [rejected(index) ? 'GARDENER' : 'SALES'] }));
  writeFileSync(join(cwd, 'users.jsonl'), lines.join('\n'), { mode: 0o600 });
  const {
    code,
    output,
    lines: shown,
  } = await runOnTerminal(['user', 'import', 'users.jsonl'], {
    cwd,
    env: operatorEnv(test.url),
  });
  expect(code).toBe(1);
  const wanted = rows.flatMap((_, index) => (rejected(index) ? [`line ${index + 1}: `] : []));
  expect(shown.slice(0, -2).map((line) => line.slice(0, line.indexOf(': ') + 2))).toEqual(wanted);
  expect(shown.at(-2)).toMatch(/^1500 rows: 1485 created, 0 existed, 15 rejected in/);
  expect(output).toMatch(/\d% \| [\d,]+ rows \| [\d,]+ rows\/s \| /);
  expect(output).not.toContain('{');
});

it('asks on the terminal, and Ctrl-C, Ctrl-D and Enter change nothing', async () => {
  const remove = (keys: string) =>
    runOnTerminal(['user', 'delete', 'old@acme.test', '--local'], {
      cwd: emptyFolder(),
      env: operatorEnv(test.url),
      answers: [['(y/N)', keys]],
    });
  const [ctrlC, ctrlD, enter] = await Promise.all(['\u0003', '\u0004', '\r'].map(remove));
  expect([ctrlC!.code, ctrlD!.code, enter!.code]).toEqual([130, 1, 1]);
  expect(ctrlC!.lines.slice(0, 2)).toEqual([
    'This deletes user old@acme.test and ends all its sessions.',
    `Database: ${test.url}, as the operator of this machine`,
  ]);
  const accepted = await remove('y\r');
  expect(accepted).toMatchObject({ code: 0, lines: expect.arrayContaining([expect.stringMatching(/^deleted /)]) });
});

it('resolves relative paths in the folder of the caller of npm run', async () => {
  const cwd = emptyFolder();
  const args = ['--prefix', PROJECT, 'run', '-s', 'cli', '--', 'user', 'import', 'missing.csv', '--config', 'no.yaml'];
  const error = await new Promise((resolve) => {
    execFile('npm', args, { cwd }, (_failure, _out, text) => resolve(text));
  });
  expect(error).toContain(`${cwd}/missing.csv: no such file or folder`);
  const settings = ['--prefix', PROJECT, 'run', '-s', 'cli', '--', 'config', 'print', '--config', 'no.yaml'];
  const problem = await new Promise((resolve) => {
    execFile('npm', settings, { cwd }, (_failure, _out, text) => resolve(text));
  });
  expect(problem).toContain(`${cwd}/no.yaml`);
});

it('refuses a secret from the standard input that is not UTF-8, with the place of its first such byte', () => {
  const args = [join(PROJECT, 'cli/main.ts'), 'invitation', 'confirm', '--core', 'unix:none'];
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: emptyFolder(),
    input: Buffer.from('Gärten\n', 'latin1'),
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: 'Token or link of the mail: line 1, column 2: not UTF-8\n',
  });
});
