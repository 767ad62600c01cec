// Lines of invitations, as people type them or programs export them.
import type { InviteUsersRequest } from '../../../../client/src/operations.ts';
import { wordsOf } from '../../words.ts';

/** Names of columns, in the order that lines without a header have. */
const COLUMNS = ['email', 'name', 'roles', 'username'] as const;

/** Names of columns in the files of other programs. */
const HEADERS: Readonly<Record<string, (typeof COLUMNS)[number]>> = {
  email: 'email',
  'e-mail': 'email',
  mail: 'email',
  name: 'name',
  roles: 'roles',
  role: 'roles',
  rollen: 'roles',
  rolle: 'roles',
  username: 'username',
  benutzername: 'username',
};

/** `Ann Example <ann@acme.example>`, as mail programs copy it. */
const ADDRESS = /^"?(.*?)"?\s*<([^<>]+)>$/;

/**
 * Returns the users of lines such as `ann@acme.example; Ann Example; SALES MANAGER`, with a semicolon, comma or tab between the
 * columns, and a line of headers if there is one.
 *
 * @param roles Those of users whose line has none.
 */
export function parseInvitations(text: string, roles: readonly string[]): InviteUsersRequest['users'] {
  const rows = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map(cellsOf);
  const header = rows[0]?.map((cell) => HEADERS[cell.toLowerCase()]);
  const hasHeader = header?.some((name) => name !== undefined) === true && !rows[0]!.some((cell) => cell.includes('@'));
  const columns = hasHeader ? header : COLUMNS;
  return (hasHeader ? rows.slice(1) : rows).map((cells) => {
    const row = Object.fromEntries(cells.map((cell, index) => [columns[index] ?? '', cell]));
    const [, namePart, address] = ADDRESS.exec(row['email'] ?? '') ?? [];
    const email = address ?? row['email'] ?? '';
    const name = row['name'] || namePart || '';
    const own = wordsOf(row['roles'] ?? '').map((role) => role.toUpperCase());
    return {
      username: row['username'] || email,
      ...(email !== '' && { email }),
      ...(name !== '' && { name }),
      roles: own.length > 0 ? own : [...roles],
    };
  });
}

/** Splits a line at its separator: a tab, else a semicolon, else a comma. Cells in quotes may contain it (RFC 4180). */
function cellsOf(line: string): string[] {
  const separator = ['\t', ';'].find((one) => line.includes(one)) ?? ',';
  const cells: string[] = [];
  let open: string | undefined;
  for (const part of line.split(separator)) {
    const cell: string = open === undefined ? part : open + separator + part;
    const isQuoted = cell.split('"').length % 2 === 0;
    open = isQuoted ? cell : undefined;
    if (!isQuoted) cells.push(unquote(cell.trim()));
  }
  return open === undefined ? cells : [...cells, open.trim()];
}

const unquote = (cell: string): string => (/^".*"$/.test(cell) ? cell.slice(1, -1).replaceAll('""', '"').trim() : cell);
