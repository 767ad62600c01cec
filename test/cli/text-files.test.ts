// Text files of operators: no byte of them is replaced. A replaced byte would change names and secrets.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { operatorEnv, runCli } from '../support/cli.ts';
import { emptyFolder } from '../support/service-process.ts';

const LATIN = Buffer.from('# Gärten\n', 'latin1');
const folder = emptyFolder();
let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase('sqlite');
});
afterAll(() => test.drop());

function latinFile(name: string, mode = 0o600): string {
  const file = join(folder, name);
  writeFileSync(file, LATIN, { mode });
  return file;
}

const cli = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runCli(args, { cwd: folder, env: { ...operatorEnv(test.url), ...env } });

mkdirSync(join(folder, 'templates/en'), { recursive: true });
const PLACE = 'line 1, column 4: not UTF-8';
const preview = ['mail', 'preview', 'invitation', `--app.mail.templates=${join(folder, 'templates')}`];

describe('a file with bytes that are not UTF-8 is refused, with the place of the first one', () => {
  it.each([
    ['the settings', ['config', 'print', '--config', latinFile('settings.yaml')], {}],
    ['the value of a setting', ['config', 'print'], { APP_BRAND_COLOR_FILE: latinFile('color') }],
    ['a bootstrap file', ['bootstrap', latinFile('bootstrap.yaml')], {}],
    ['a template of a mail', preview, { file: latinFile('templates/en/invitation.txt') }],
    ['a kept head', ['audit', 'verify', '--head', latinFile('head')], {}],
    ['the logins', ['session', 'list'], { AUTHSERVICE_CREDENTIALS: latinFile('logins.json') }],
    ['a password', ['isolation', '--a-username', 'ann', '--a-password-file', latinFile('password')], {}],
  ])('%s', async (_name, args, env) => {
    const { code, error } = await cli(args, env);
    expect(code).not.toBe(0);
    expect(error).toContain(PLACE);
    expect(error).not.toContain('\uFFFD');
  });
});

it.each([
  ['an environment variable', ['config', 'print'], { APP_NAME: 'G\uFFFDrten' }],
  ['a flag', ['config', 'print', '--app.name=G\uFFFDrten'], {}],
  ['an argument', ['user', 'show', 'G\uFFFDrten', '--local'], {}],
])('refuses %s whose bytes Node has replaced', async (_name, args, env) => {
  expect(await cli(args, env)).toMatchObject({ code: 2, error: expect.stringContaining('U+FFFD') });
});

it('reads settings in UTF-16 and UTF-8 with a byte order mark, as editors of Windows write them', async () => {
  writeFileSync(join(folder, 'utf16.yaml'), Buffer.from('\uFEFFapp.brand.name: Gärten\n', 'utf16le'));
  writeFileSync(join(folder, 'color.txt'), '\uFEFF#1f6f5c\r\n');
  const { out, error } = await cli(['config', 'print', '--config', 'utf16.yaml'], {
    APP_BRAND_COLOR_FILE: 'color.txt',
  });
  expect(error).toBe('');
  expect(out).toMatch(/^app\.brand\.name: "Gärten" /m);
  expect(out).toMatch(/^app\.brand\.color: "#1f6f5c" /m);
});
