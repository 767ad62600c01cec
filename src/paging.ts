// Lists in pages.
import type { PageInfo, PageRequest } from '../proto/gen/authservice/paging/v1/paging.ts';
import { ServiceError, type Violation } from './errors.ts';

export interface Page {
  readonly page: number;
  readonly perPage: number;
  readonly offset: number;
}

const MAX_PAGE = 1_000_000;
const MAX_PER_PAGE = 100;
const DEFAULT_PER_PAGE = 20;

/** The page that a request asks for. Throws VALIDATION_ERROR where it is out of bounds. */
export function pageOf(request: PageRequest | undefined): Page {
  const page = request?.page || 1;
  const perPage = request?.perPage || DEFAULT_PER_PAGE;
  const violations: Violation[] = [];
  if (page < 1 || page > MAX_PAGE) violations.push(outOfBounds('page', MAX_PAGE));
  if (perPage < 1 || perPage > MAX_PER_PAGE) violations.push(outOfBounds('perPage', MAX_PER_PAGE));
  if (violations.length > 0) throw new ServiceError('VALIDATION_ERROR', { publicMessage: 'No such page', violations });
  return { page, perPage, offset: (page - 1) * perPage };
}

export function pageInfo({ page, perPage }: Page, total: number): PageInfo {
  return { page, perPage, total };
}

function outOfBounds(field: string, maximum: number): Violation {
  return {
    message: `must be between 1 and ${maximum}`,
    format: 'range',
    props: [field],
    params: { minimum: 1, maximum },
  };
}
