// The records that a request names in its body.
import { isId } from '../../platform/db/ids.ts';
import type { Statements } from '../../platform/db/types.ts';
import { ServiceError, type Violation } from '../../platform/errors.ts';
import type { RequestViolations } from '../../platform/rpc/request-violations.ts';
import type { Customer } from '../customers/customer.ts';
import { CUSTOMERS } from '../customers/customer-store.ts';
import { type OrderedProduct, readOrderedProducts } from '../products/stock-store.ts';
import { unknownReference } from '../../platform/rpc/tenant.ts';
import type { RequestedItem } from './requested-items.ts';

/** Returns the customer that a request names. Adds a violation if the tenant has no such customer. */
export async function checkCustomer(
  violations: RequestViolations,
  db: Statements,
  tenantId: string,
  customerId: string | undefined,
): Promise<Customer | undefined> {
  if (!isId(customerId)) return undefined;
  const customer = await CUSTOMERS.find(db, tenantId, customerId);
  if (!customer) violations.add(unknownReference('customerId'));
  return customer;
}

/** Adds violations for the products of lines. */
export async function checkProducts(
  violations: RequestViolations,
  db: Statements,
  tenantId: string,
  lines: readonly RequestedItem[],
): Promise<void> {
  const known = lines.filter(({ productId }) => isId(productId));
  const ids = known.map(({ productId }) => productId);
  productViolations(known, await readOrderedProducts(db, tenantId, ids)).forEach(violations.add);
}

/** Returns the violations of the products of lines: missing products, or several currencies. */
export function productViolations(
  lines: readonly RequestedItem[],
  products: ReadonlyMap<string, OrderedProduct>,
): readonly Violation[] {
  const missing = lines
    .filter(({ productId }) => !products.has(productId))
    .map(({ index }) => unknownReference('items', `${index}`, 'productId'));
  const currencies = [...new Set([...products.values()].map(({ currency }) => currency))].toSorted();
  if (currencies.length <= 1) return missing;
  const params = { currencies };
  return [...missing, { message: 'must all be of one currency', format: 'currency', props: ['items'], params }];
}

/** Throws CONFLICT if a customer may not order. */
export function assertCanOrder(customer: Customer | undefined): void {
  if (customer?.status === 'BLOCKED') throw new ServiceError('CONFLICT', { detail: 'the customer is BLOCKED' });
}
