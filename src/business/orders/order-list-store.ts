// Lists of orders. order-store.ts writes their rows.
import { given } from '../../platform/db/query/condition.ts';
import { hexOf, hexToId, idToBytes } from '../../platform/db/ids.ts';
import { containing } from '../../platform/db/query/search-text.ts';
import { queryTenantPage, type Sort } from '../../platform/db/query/tenant-page-query.ts';
import type { Database } from '../../platform/db/types.ts';
import type { Page } from '../../platform/db/query/page.ts';
import { countOf } from '../counter-store.ts';
import type { Order } from './order.ts';
import type { OrderStatus } from './order-status.ts';
import { readOrders } from './order-store.ts';

/** An absent field matches everything. */
export interface OrderFilter {
  readonly status?: OrderStatus | undefined;
  readonly customerId?: string | undefined;
  /** Placed at this time or later; Unix milliseconds. */
  readonly from?: number | undefined;
  /** Placed at this time or earlier; Unix milliseconds. */
  readonly to?: number | undefined;
  /** Part of the number, the delivery address or the note; case-insensitive. */
  readonly query?: string | undefined;
}

const NEWEST_FIRST: readonly Sort[] = [{ column: 'created_at', descending: true }];

/** Returns one page of a tenant's orders and their total number. Columns to sort by are those of the table. */
export async function selectOrders(
  database: Database,
  tenantId: string,
  { status, customerId, from, to, query }: OrderFilter,
  page: Pick<Page, 'perPage' | 'offset' | 'reader'>,
  sort: readonly Sort[] = NEWEST_FIRST,
): Promise<{ readonly orders: readonly Order[]; readonly total: number }> {
  const isCounted = [customerId, from, to, query].every((restriction) => restriction === undefined);
  const { items: ids, total } = await queryTenantPage(
    database,
    {
      table: 'orders',
      columns: `${hexOf('p.id')} AS id`,
      tenantId,
      matching: [
        ...given(status, 'status = ?'),
        ...given(customerId === undefined ? undefined : idToBytes(customerId), 'customer_id = ?'),
        ...given(from, 'created_at >= ?'),
        ...given(to, 'created_at <= ?'),
        ...containing(query),
      ],
      sort,
      unique: ['number'],
      read: ({ id }: { readonly id: string }) => hexToId(id),
      total: isCounted ? countOf('orders', status) : undefined,
    },
    page,
  );
  const orders = await readOrders(database, tenantId, ids);
  // Orders deleted between the two queries are left out.
  return { orders: ids.flatMap((id) => orders.get(id) ?? []), total };
}
