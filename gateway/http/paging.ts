// Paging of lists: query parameters of requests and headers of responses.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from '../type.ts';
import type { PageInfo, PageRequest } from '../../proto/gen/authservice/paging/v1/paging.ts';
import type { FieldRule } from '../../proto/gen/authservice/rule/v1/rule.ts';
import { ownDescriptors } from '../../src/platform/rpc/contract/descriptors.ts';
import { documented } from '../schema/documented.ts';
import { requestPath } from '../../src/platform/problem/request-path.ts';

const [PAGE, PER_PAGE, AFTER] = ['page', 'per_page', 'after'].map((field) =>
  ownDescriptors().ruleNamed(`authservice.paging.v1.PageRequest.${field}`),
) as [FieldRule, FieldRule, FieldRule];

/** Members of a route's query schema. */
export const PAGE_PARAMETERS = {
  page: numberParameter('Number of the page', PAGE),
  perPage: numberParameter('Items on a page', PER_PAGE),
};

/** Further members for lists that take PageRequest.after. */
export const CURSOR_PARAMETERS = {
  after: Type.Optional(
    Type.String({
      pattern: `^[A-Za-z0-9_-]{1,${AFTER.max}}$`,
      description:
        'Instead of `page`: from the link with `rel="next"` of an earlier page. All filters must be the same.',
    }),
  ),
};

/**
 * Returns the schema of a number in the query. It is a text, because a number would also accept `1e2` and ` 1`. The OpenAPI
 * document shows an integer. `max` must be a power of ten.
 */
function numberParameter(subject: string, { min, max, defaultValue }: FieldRule) {
  const zeros = String(max).length - 1;
  const digits = zeros === 2 ? '\\d?' : `\\d{0,${zeros - 1}}`;
  return Type.Optional(
    Type.String({
      pattern: `^0*(?:[1-9]${digits}|${max})$`,
      ...documented({ type: 'integer', minimum: min, maximum: max, pattern: undefined }),
      description: `${subject}, from ${min} to ${max.toLocaleString('en')}. Default ${defaultValue}.`,
    }),
  );
}

/** OpenAPI schemas of the headers that setPageHeaders sets. */
export const PAGE_HEADERS = {
  'X-Total-Count': Type.Integer({ description: 'Items on all pages together.' }),
  'X-Page': Type.Integer({ description: 'Number of this page.' }),
  'X-Per-Page': Type.Integer({ description: 'Items on a full page.' }),
  Link: Type.String({ description: 'RFC 8288: first, prev, next and last.' }),
};

/** Further headers of lists that take PageRequest.after. */
export const CURSOR_HEADERS = {
  'X-Total-Count-Relation': Type.Literal('at-least', {
    description: 'Present if there are more items than X-Total-Count. Then there is no link to the last page.',
  }),
};

/** Converts validated parameters to the core's PageRequest. 0 means the core's default. */
export function pageRequest({ page = '0', perPage = '0', after }: PageParameters): PageRequest {
  return { page: Number(page), perPage: Number(perPage), ...(after !== undefined && { after }) };
}

interface PageParameters {
  readonly page?: string;
  readonly perPage?: string;
  readonly after?: string;
}

/** Sets the paging headers of a list response. The links keep the other query parameters of the request. */
export function setPageHeaders(request: FastifyRequest, reply: FastifyReply, info: PageInfo | undefined): void {
  if (info === undefined) throw new TypeError('The core sent no page');
  const { page, perPage, total, totalIsMinimum } = info;
  if (totalIsMinimum) reply.header('x-total-count-relation', 'at-least');
  reply.headers({
    'x-total-count': total,
    'x-page': page,
    'x-per-page': perPage,
    link: links(request.originalUrl, info)
      .map(([relation, url]) => `<${url}>; rel="${relation}"`)
      .join(', '),
  });
}

/**
 * Returns the links of a page (RFC 8288 section 3). For a page beyond the end, `prev` is the last page. The last page is
 * unknown if the total is.
 */
function links(target: string, { page, perPage, total, totalIsMinimum, next }: PageInfo): [string, string][] {
  const last = totalIsMinimum ? undefined : Math.min(Math.max(Math.ceil(total / perPage), 1), PAGE.max);
  // A list that is not counted has no page by number behind its first 1,000,000 items.
  const isNear = last !== undefined || (page - 2) * perPage <= PAGE.max;
  const following = page < (last ?? 0) ? `page=${page + 1}` : undefined;
  const places: [relation: string, place: string | undefined][] = [
    ['first', 'page=1'],
    ['prev', page > 1 && isNear ? `page=${Math.min(page - 1, last ?? PAGE.max)}` : undefined],
    ['next', next === undefined ? following : `after=${next}`],
    ['last', last === undefined ? undefined : `page=${last}`],
  ];
  const before = `${requestPath(target)}?${otherParameters(target)}`;
  return places.flatMap(([relation, place]) =>
    place === undefined ? [] : [[relation, `${before}${place}&perPage=${perPage}`]],
  );
}

/** Returns the query of a request without the page's parameters, with an ampersand at its end if it is not empty. */
function otherParameters(target: string): string {
  const query = new URLSearchParams(target.split('?').slice(1).join('?'));
  for (const name of ['page', 'perPage', 'after']) query.delete(name);
  return query.size === 0 ? '' : `${query.toString()}&`;
}
