// Tables for a person, at several widths, and the values of completions.
import { afterEach, expect, it, vi } from 'vitest';
import { printCompletions } from '../../cli/completion.ts';
import { auditLine, auditRow } from '../../cli/commands/audit.ts';
import { COMMANDS } from '../../cli/commands/all.ts';
import { optionsOf } from '../../cli/program.ts';
import { fitColumns, render } from '../../cli/terminal/render.ts';
import { runCli } from '../support/cli.ts';
import { ROLES } from '../../src/auth/access/roles/built-in-roles.ts';

afterEach(() => void vi.restoreAllMocks());

const COLUMNS = [
  { name: 'username', width: 40 },
  { name: 'name', width: 20 },
  { name: 'disabled', width: 8 },
  { name: 'id', width: 36 },
];

it.each([
  [110, [40, 20, 8, 36]],
  [100, [30, 20, 8, 36]],
  [74, [12, 12, 8, 36]],
  [73, [40, 20, 8]],
  [50, [19, 19, 8]],
  [30, [14, 14]],
  [20, [20]],
  [10, [40]],
])('fits columns into %i characters, and keeps ids whole', (available, widths) => {
  const shown = fitColumns(COLUMNS, available);
  expect(shown.map(({ name }) => name)).toEqual(COLUMNS.slice(0, widths.length).map(({ name }) => name));
  expect(shown.map(({ width }) => width)).toEqual(widths);
});

it('cuts values and hides columns on a narrow terminal, says so, and shows all without a terminal', () => {
  const value = [{ username: 'u'.repeat(40), name: 'n'.repeat(20), disabled: false, id: 'i'.repeat(36) }];
  const result = { value, columns: COLUMNS.map(({ name }) => name) };
  const narrow = render(result, false, 70);
  expect(narrow.text.split('\n').map((line) => line.length <= 70)).not.toContain(false);
  expect(narrow.text).toContain('…');
  expect(narrow.notes).toEqual(['the terminal is narrow (values are cut; hidden: ID); --json shows all']);
  const piped = render(result, false);
  expect(piped.text).toContain(`${'u'.repeat(40)}  ${'n'.repeat(20)}  false     ${'i'.repeat(36)}\n`);
  expect(piped.notes).toEqual([]);
  expect(render(result, true, 70)).toEqual({ text: `${JSON.stringify(value)}\n`, notes: [] });
});

it('wraps every help text at the width of the terminal', async () => {
  for (const { name } of COMMANDS) {
    const { code, out } = await runCli([...name.split(' '), '--help'], { columns: 80 });
    expect({ name, code, wide: out.split('\n').filter((line) => line.length > 80) }).toEqual({
      name,
      code: 0,
      wide: [],
    });
  }
});

it('shows the records inside a record as a table', () => {
  const secrets = [{ id: 's-1', createdAt: new Date('2026-11-22T13:34:16.285Z') }];
  expect(render({ value: { clientId: 'sync', secrets, roles: ['SALES'] } }, false).text).toBe(
    'clientId  sync\nroles     SALES\n\nSECRETS\nID   CREATED AT\ns-1  2026-11-22T13:34:16Z\n',
  );
});

it('names the actor and the address of an audit record', () => {
  const record = {
    id: 'record-1',
    at: new Date('2026-11-22T13:34:16.285Z'),
    event: 'login.failed',
    username: 'ann@acme.test',
    clientAddress: '192.0.2.1',
    requestId: 'request-1',
    actorId: 'user-1',
    details: { attempts: 3, reason: 'BAD_CREDENTIALS' },
  };
  const named = auditRow({ ...record, causedBy: { id: 'user-1', username: 'root' } });
  expect(named).toMatchObject({ actor: 'root', address: '192.0.2.1', details: 'BAD_CREDENTIALS attempts=3' });
  expect(auditRow({ ...record, causedBy: { id: 'user-1' } })).toMatchObject({ actor: 'user-1' });
  const local = { ...record, actorId: undefined, details: { actor: 'local-command' } };
  expect(auditRow(local)).toMatchObject({ actor: 'local-command' });
  expect(auditLine(named)).toBe(
    '2026-11-22T13:34:16Z login.failed ann@acme.test actor=root address=192.0.2.1 BAD_CREDENTIALS attempts=3\n',
  );
});

it('lists all roles in every option and argument for roles, and completes them', () => {
  const texts = COMMANDS.flatMap((command) => [...optionsOf(command), ...Object.entries(command.arguments ?? {})]);
  const ofRoles = texts.filter(([notation]) => /<roles?(\.\.\.)?>/.test(notation));
  expect(ofRoles).toHaveLength(7);
  // An imported user belongs to a tenant.
  const ofTenants = ROLES.filter((role) => role !== 'SUPER_ADMIN').join(', ');
  for (const [, text] of ofRoles) expect(text).toContain(text.includes('rows without') ? ofTenants : ROLES.join(', '));
  const printed: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(line.split('\t')[0]!));
  const complete = (...words: string[]) => {
    printed.length = 0;
    printCompletions(['--', ...words, ''], { env: { AUTHSERVICE_CREDENTIALS: '/nowhere/file' }, callerFolder: '/' });
    return printed.slice(0, -1);
  };
  expect(complete('user', 'create', 'ann', '--role')).toEqual([...ROLES]);
  expect(complete('user', 'roles', 'ann')).toEqual([...ROLES]);
  expect(complete('tenant', 'list', '--status')).toEqual(['ACTIVE', 'SUSPENDED']);
  expect(complete('use')).toEqual([]);
});
