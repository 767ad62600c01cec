// The function of the docs that reads the identity headers.
import { expect, it } from 'vitest';
import { accountOf } from '../../../examples/proxies/account.ts';

const HEADERS = { 'x-auth-subject': ['a-1'], 'x-auth-tenant': ['Zo%C3%AB'], 'remote-groups': ['MANAGER,SALES'] };

it('returns the account', () => {
  const roles = ['MANAGER', 'SALES'];
  expect(accountOf({ headersDistinct: HEADERS })).toEqual({ id: 'a-1', tenant: 'Zoë', roles });
});

it('reads "-" as no value', () => {
  const headersDistinct = { ...HEADERS, 'x-auth-tenant': ['-'], 'remote-groups': ['-'] };
  expect(accountOf({ headersDistinct })).toEqual({ id: 'a-1', tenant: undefined, roles: [] });
});

it.each(Object.keys(HEADERS))('returns no account if %s is missing, empty or sent twice', (name) => {
  const changed = [undefined, [], [''], ['-', 'a-1'], ['a-1', 'a-1']];
  for (const values of changed) expect(accountOf({ headersDistinct: { ...HEADERS, [name]: values } })).toBeUndefined();
});

it('returns no account without a subject', () => {
  for (const id of ['-', '']) {
    expect(accountOf({ headersDistinct: { ...HEADERS, 'x-auth-subject': [id] } })).toBeUndefined();
  }
});
