// Lines of invitations as people type them and other programs export them.
import { expect, it } from 'vitest';
import { parseInvitations } from '../../src/console/users/parse-invitations.ts';

const ROLES = ['SALES'];

it.each([
  ['an address', 'ann@a.test', [{ username: 'ann@a.test', email: 'ann@a.test', roles: ROLES }]],
  [
    'columns with any separator',
    'ann@a.test; Ann; sales manager\nben@a.test,Ben,FLORIST\ncid@a.test\tCid',
    [
      { username: 'ann@a.test', email: 'ann@a.test', name: 'Ann', roles: ['SALES', 'MANAGER'] },
      { username: 'ben@a.test', email: 'ben@a.test', name: 'Ben', roles: ['FLORIST'] },
      { username: 'cid@a.test', email: 'cid@a.test', name: 'Cid', roles: ROLES },
    ],
  ],
  [
    'a header in another order, a mark of the encoding and lines of Windows',
    '\uFEFFName;Benutzername;E-Mail\r\n"Ann; ""A""";ann;ann@a.test\r\n\r\n',
    [{ username: 'ann', email: 'ann@a.test', name: 'Ann; "A"', roles: ROLES }],
  ],
  [
    'addresses as mail programs copy them',
    '"Ann, the first" <ann@a.test>\nBen Best <ben@a.test>',
    [
      { username: 'ann@a.test', email: 'ann@a.test', name: 'Ann, the first', roles: ROLES },
      { username: 'ben@a.test', email: 'ben@a.test', name: 'Ben Best', roles: ROLES },
    ],
  ],
  ['nothing', ' \n\n', []],
])('reads %s', (_what, text, users) => {
  expect(parseInvitations(text, ROLES)).toEqual(users);
});
