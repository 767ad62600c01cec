// Pages of lists.
import type { PageInfo, PageRequest } from '../../proto/gen/authservice/paging/v1/paging.ts';
import type { Page } from '../db/query/page.ts';

/** Returns the page of a validated request. The rules of PageRequest set its defaults. */
export function pageOf(request: PageRequest | undefined): Page {
  const { page, perPage } = request!;
  return { page, perPage, offset: (page - 1) * perPage };
}

export function pageInfo({ page, perPage }: Page, total: number): PageInfo {
  return { page, perPage, total };
}
