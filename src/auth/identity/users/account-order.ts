// The orders of the list of users.
import type { Index } from '../../../platform/db/query/hints.ts';
import type { ListOrder } from '../../../platform/db/query/list-order.ts';
import type { AdminScope } from '../../../platform/db/query/tenant-scope.ts';
import { ServiceError } from '../../../platform/errors.ts';

const ID = { column: 'a.id', kind: 'id' } as const;

/** Newest first: ids ascend with time. */
export const ACCOUNT_ORDER: ListOrder = { key: [ID], descending: true };

/** By the names of the fields of a user. */
const KEYS: Readonly<Record<string, ListOrder['key']>> = {
  createdAt: [ID],
  username: [{ column: 'a.username', kind: 'text' }],
  lastLoginAt: [{ column: 'a.last_login_at', kind: 'time' }, ID],
};

/** Returns the order that a request names. Throws VALIDATION_ERROR if it names several fields: no index has their order. */
export function accountOrder(sort: string): ListOrder {
  if (sort === '') return ACCOUNT_ORDER;
  const key = KEYS[sort.replace(/^-/, '')];
  if (key !== undefined) return { key, descending: sort.startsWith('-') };
  throw new ServiceError('VALIDATION_ERROR', {
    violations: [{ message: 'must name one field', format: 'sort', props: ['sort'] }],
  });
}

/** Returns the index that has an order; undefined if it is that of the filters, which is ordered by id. */
export function indexOfOrder({ key }: ListOrder, { everyTenant }: AdminScope): Index | undefined {
  const { column } = key[0]!;
  if (column === 'a.username') return everyTenant ? 'UNIQUE username' : ['tenant_id', 'interactive', 'username'];
  if (column === 'a.last_login_at')
    return [...(everyTenant ? [] : ['tenant_id']), 'interactive', 'last_login_at', 'id'];
  return undefined;
}
