// The files that `user import` reads: encodings, separators, headers, and lines that it cannot read.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { seedAccount } from '../support/accounts.ts';
import { operatorEnv, runCli } from '../support/cli.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { emptyFolder } from '../support/service-process.ts';

const databases: TestDatabase[] = [];
let test: TestDatabase;
beforeEach(async () => {
  test = await createTestDatabase('sqlite');
  databases.push(test);
  await seedAccount(test.database, { tenantId: 'acme', username: 'old@acme.test' });
});
afterAll(async () => {
  for (const { drop } of databases) await drop();
});

async function importFile(name: string, content: string | Buffer, ...args: string[]) {
  const file = join(emptyFolder(), name);
  writeFileSync(file, content, { mode: 0o600 });
  const { code, out, error } = await runCli(['user', 'import', file, '--json', ...args], {
    env: operatorEnv(test.url),
  });
  const { rows, created, rejected } = out === '' ? { rows: 0, created: 0, rejected: 0 } : JSON.parse(out);
  return { code, rows, created, rejected, error: error.replaceAll(file, name) };
}

/** The imported users by name. SQLite sorts bytes. */
function users() {
  return test.database.query<{ username: string; name: string; roles: string; disabled: number }>(
    "SELECT CAST(username AS TEXT) AS username, name, roles, disabled FROM accounts WHERE username <> CAST('old@acme.test' AS BLOB) ORDER BY username",
  );
}

const CSV = 'username,tenantId,roles,name\njérôme,acme,SALES,Jérôme\njèrôme,acme,SALES,Jèrôme €\n';
const LINES = ['jérôme', 'jèrôme'].map((username) => JSON.stringify({ username, tenantId: 'acme', roles: ['SALES'] }));
const swap = (text: string) => Buffer.from(text, 'utf16le').swap16();
const windows1252 = (text: string) => Buffer.from(text.replaceAll('€', '\u0080'), 'latin1');

it.each([
  ['users.csv', windows1252(CSV), 'line 2, column 2: not UTF-8'],
  ['users.jsonl', windows1252(`{}\r\n{"name":"é"}`), 'line 2, column 10: not UTF-8'],
  ['users.csv', Buffer.from([0xff, 0xfe, 0x61, 0, 0x0a, 0, 0, 0xd8]), 'line 2, column 1: not UTF-16LE'],
  ['users.csv', Buffer.from('username\nann', 'utf16le'), 'has NUL characters, as UTF-16 without a byte order mark'],
  ['users.csv', Buffer.from('username\nann\u00e9').subarray(0, -1), 'line 2, column 4: not UTF-8'],
])('imports nothing of %s with bytes that are not in its encoding', async (name, content, problem) => {
  const { code, rows, error } = await importFile(name, content);
  expect({ code, rows, lines: error.trimEnd().split('\n').length }).toEqual({ code: 1, rows: 0, lines: 1 });
  expect(error).toContain(problem);
  expect(error).toContain('--encoding');
  expect(await users()).toEqual([]);
});

it('finds bytes that are not UTF-8 behind the first block of a long file, and imports no row of it', async () => {
  const rows = Array.from({ length: 6_000 }, (_, index) => `user${index}@acme.test,acme,SALES,Ann €\n`);
  const bytes = Buffer.concat([Buffer.from(`username,tenantId,roles,name\n${rows.join('')}`), Buffer.of(0x61, 0xe9)]);
  expect(await importFile('users.csv', bytes)).toMatchObject({
    code: 1,
    rows: 0,
    error: expect.stringContaining('users.csv: line 6002, column 2: not UTF-8'),
  });
});

it.each([
  ['users.csv', windows1252(CSV), ['--encoding', 'windows-1252']],
  ['users.csv', Buffer.from(CSV, 'utf16le'), ['--encoding', 'utf-16le']],
  ['users.csv', Buffer.from(`\uFEFF${CSV}`, 'utf16le'), []],
  ['users.csv', swap(`\uFEFF${CSV}`), []],
  ['users.csv', swap(CSV), ['--encoding', 'utf-16be']],
  ['users.csv', Buffer.from(`\uFEFF${CSV}`), ['--encoding', 'windows-1252']],
  ['users.csv', Buffer.from(CSV.replaceAll('\n', '\r')), []],
  ['users.jsonl', Buffer.from(`\uFEFF${LINES.join('\r\n')}`), []],
  ['users.jsonl', Buffer.from(`\uFEFF${LINES.join('\n')}`, 'utf16le'), []],
  ['users.jsonl', windows1252(LINES.join('\n')), ['--encoding', 'windows-1252']],
])('reads %s as %o with %o', async (name, content, args) => {
  expect(await importFile(name, content, ...args)).toEqual({ code: 0, rows: 2, created: 2, rejected: 0, error: '' });
  expect((await users()).map(({ username }) => username)).toEqual(['jèrôme', 'jérôme']);
  if (name === 'users.csv' && content.includes(0x80)) expect(await users()).toMatchObject([{ name: 'Jèrôme €' }, {}]);
});

it.each([
  ['semicolons', 'username;tenantId;roles;name\nann;acme;SALES,FLORIST;"Ann; the first"\n'],
  ['tabs', 'username\ttenantId\troles\tname\nann\tacme\tSALES FLORIST\tAnn; the first\n'],
  ['capitals', 'USERNAME, Tenant ID,ROLES,NAME\nann,acme,"SALES,FLORIST",Ann; the first\n'],
  ['blanks', 'username , tenantId, roles, name\nann , acme , "SALES,FLORIST" , Ann; the first \n , , , \n'],
  ['columns without a name', 'username;tenant_id;roles;name;;\nann;acme;SALES,FLORIST;"Ann; the first";;\n;;;;;\n'],
])('reads CSV with %s', async (kind, content) => {
  expect(await importFile(kind === 'tabs' ? 'users.tsv' : 'users.csv', content)).toEqual({
    code: 0,
    rows: 1,
    created: 1,
    rejected: 0,
    error: '',
  });
  expect(await users()).toMatchObject([{ name: 'Ann; the first', roles: expect.stringMatching(/SALES.*FLORIST/) }]);
});

it('reads the booleans of spreadsheets', async () => {
  const cells = ['TRUE', 'True', '1', ' yes ', 'FALSE', '0', 'no', 'maybe'];
  const rows = cells.map((cell, index) => `user${index},${cell}`);
  const args = ['--tenant', 'acme', '--role', 'SALES'];
  expect(await importFile('users.csv', `username,disabled\n${rows.join('\n')}`, ...args)).toEqual({
    code: 1,
    rows: 8,
    created: 7,
    rejected: 1,
    error: 'line 9: disabled: must be boolean\n',
  });
  expect((await users()).map(({ disabled }) => disabled)).toEqual([1, 1, 1, 1, 0, 0, 0]);
});

it('rejects only the lines that are not CSV, and says why', async () => {
  const csv = [
    'username,name,roles',
    'ann,Ann,SALES',
    'bob,Bob',
    'cat,Cat,SALES,,',
    'dan,Dan,SALES,x',
    'eve,E"ve,SALES',
    'fay,"Fay,SALES',
    'gil,Gil,SALES',
    'hal,"Hal" Hall,SALES',
    'ivy,"Ivy, ""the first""",SALES',
    '',
    'jon,"Jon',
  ].join('\n');
  expect(await importFile('users.csv', csv, '--tenant', 'acme')).toEqual({
    code: 1,
    rows: 10,
    created: 4,
    rejected: 6,
    error: [
      'line 3: 2 cells, but the header has 3',
      'line 5: 4 cells, but the header has 3',
      'line 6: a quote within a cell: enclose the cell in quotes, and double each quote in it',
      'line 7: a quote is not closed in this line',
      'line 9: a quote within a cell: enclose the cell in quotes, and double each quote in it',
      'line 12: a quote is not closed in this line',
      '',
    ].join('\n'),
  });
  expect((await users()).map(({ username }) => username)).toEqual(['ann', 'cat', 'gil', 'ivy']);
});

it('rejects a line with a cell in a column without a name', async () => {
  const { error } = await importFile('users.csv', 'username,roles,,\nann,SALES,,\nbob,SALES,,x\n', '--tenant', 'acme');
  expect(error).toBe('line 3: cell 4 is in a column without a name\n');
});

it('keeps empty cells between tabs, and blanks within quotes', async () => {
  const content = 'username\ttenantId\temail\troles\tname\nann\tacme\t\tSALES\t"Ann  Example"\nbob\tacme\t \tSALES\t\n';
  expect(await importFile('users.tsv', content)).toEqual({ code: 0, rows: 2, created: 2, rejected: 0, error: '' });
  expect(await users()).toMatchObject([{ username: 'ann', name: 'Ann  Example' }, { username: 'bob' }]);
});

it('rejects only the lines that are not JSON', async () => {
  const { error, ...counts } = await importFile('users.jsonl', [LINES[0], '{"username":', '7', LINES[1]].join('\n'));
  expect(counts).toEqual({ code: 1, rows: 4, created: 2, rejected: 2 });
  expect(error).toBe('line 2: not JSON\nline 3: row: must be object\n');
});

const COLUMNS =
  'username, tenantId, name, email, roles, passwordHash, invite, disabled, accountExpiresAt, credentialsExpireAt';

it.each([
  ['users.csv', 'username,address\nann,x\nbob,y\n', `unknown column: address; the columns are ${COLUMNS}`],
  ['users.csv', 'username,tenantId,USERNAME\nann,acme,ann\n', 'the column username is given twice'],
  ['users.csv', 'tenantId,roles\nacme,SALES\n', 'the column username is missing'],
  ['users.csv', 'username,roles\nann,SALES\nbob,SALES\n', 'the column tenantId is missing; add it, or give --tenant'],
  ['users.csv', 'username,tenantId\nann,acme\nbob,acme\n', 'the column roles is missing; add it, or give --role'],
  ['users.csv', 'ann@acme.test,secret\nbob,secret\n', `not a header; name the columns: ${COLUMNS}`],
  ['users.csv', 'username,"ten\nantId"\nann,acme\n', 'a quote is not closed in this line'],
  ['users.jsonl', 'username,tenantId\nann,acme\n', 'not a JSON object; give --format csv if the file is CSV'],
  ['users.jsonl', `[\n${LINES.join(',\n')}\n]`, 'a JSON array; write one object in each line, as `jq -c .[]` does'],
  ['users.jsonl', '{"USERNAME":"ann"}\n{"USERNAME":"bob"}\n', `unknown column: USERNAME; the columns are ${COLUMNS}`],
])('refuses %s once: %j', async (name, content, problem) => {
  expect(await importFile(name, content)).toMatchObject({
    code: 1,
    rows: 0,
    error: `${JSON.stringify({ error: { message: `line 1: ${problem}`, exitCode: 1 } })}\n`,
  });
});

it('refuses unknown encodings', async () => {
  expect(await importFile('users.csv', CSV, '--encoding', 'ebcdic')).toMatchObject({
    code: 2,
    error: expect.stringContaining('--encoding: give UTF-8, UTF-16LE, UTF-16BE, WINDOWS-1250, '),
  });
});
