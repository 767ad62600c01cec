// Pages of lists: requests, and the description of the returned page.
import type { PageInfo, PageRequest } from '../../../proto/gen/authservice/paging/v1/paging.ts';
import type { ListOrder } from '../db/query/list-order.ts';
import type { CursorPage, Found, Page } from '../db/query/page.ts';
import { ServiceError } from '../errors.ts';
import { createCursor, parseCursor } from './cursor.ts';
import type { Call } from './types.ts';

interface PagedRequest {
  readonly page?: PageRequest | undefined;
}

/** A page of a list that takes PageRequest.after. */
export interface ListPage extends CursorPage {
  readonly cursorOf: (position: NonNullable<Found<unknown>['next']>) => string;
}

/** Returns the page of a validated request. The rules of PageRequest set its defaults. */
export function pageOf(request: PagedRequest, call: Pick<Call, 'deadline' | 'principal'>): Page {
  const { page, perPage, after } = request.page!;
  if (after !== undefined) throw invalidAfter('is not supported by this list');
  return { page, perPage, offset: (page - 1) * perPage, reader: readerOf(call) };
}

/** Like pageOf, for a list that takes PageRequest.after. Its request declares it by the rule `cursor`. */
export function listPageOf(
  request: PagedRequest,
  call: Pick<Call, 'path' | 'deadline' | 'principal'>,
  order: ListOrder,
): ListPage {
  const { page, perPage, after: cursor } = request.page!;
  const { page: _page, ...filters } = request;
  const list = `${call.path} ${JSON.stringify(filters)}`;
  if (cursor !== undefined && page > 1) throw invalidAfter('must not be given together with page');
  const after = cursor === undefined ? undefined : parseCursor(cursor, list, order);
  if (cursor !== undefined && after === undefined) {
    throw invalidAfter('must come from an earlier page of this list with the same filters');
  }
  const offset = after?.offset ?? (page - 1) * perPage;
  return {
    page: Math.floor(offset / perPage) + 1,
    perPage,
    offset,
    after,
    reader: readerOf(call),
    cursorOf: (position) => createCursor(position, list),
  };
}

/** Describes a page of a list with an exact total. */
export function pageInfo({ page, perPage }: Page, total: number): PageInfo {
  return { page, perPage, total };
}

/** Describes a page of a list that takes PageRequest.after. */
export function listPageInfo({ page, perPage, cursorOf }: ListPage, found: Omit<Found<unknown>, 'items'>): PageInfo {
  const { total, isMinimum, next } = found;
  return {
    page,
    perPage,
    total,
    ...(isMinimum && { totalIsMinimum: true }),
    ...(next && { next: cursorOf(next) }),
  };
}

/** The order of a list that is read completely. */
export const SHORT_LIST: ListOrder = { key: [], descending: false };

/** Returns a page of a list that is so short that all of it was read. */
export function sliceOf<Item>(all: readonly Item[], { offset, perPage }: ListPage): Found<Item> {
  const total = { total: all.length, isMinimum: false };
  const end = offset + perPage;
  const next = end < all.length ? { key: [], offset: end, total } : undefined;
  return { items: all.slice(offset, end), ...total, next };
}

/** Returns the caller of a read that can take long. */
export function readerOf({ deadline, principal }: Pick<Call, 'deadline' | 'principal'>): Page['reader'] {
  return { deadline, tenantId: principal?.account.tenantId };
}

function invalidAfter(message: string): ServiceError {
  return new ServiceError('VALIDATION_ERROR', { violations: [{ message, format: 'cursor', props: ['after'] }] });
}
