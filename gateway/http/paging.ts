// Paging of lists: query parameters of requests and headers of responses.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from '../type.ts';
import type { PageInfo, PageRequest } from '../../proto/gen/authservice/paging/v1/paging.ts';
import type { FieldRule } from '../../proto/gen/authservice/rule/v1/rule.ts';
import { ownDescriptors } from '../../src/rpc/contract/descriptors.ts';
import { documented } from '../schema/documented.ts';
import { requestPath } from '../../src/problem/request-path.ts';

const [PAGE, PER_PAGE] = ['page', 'per_page'].map((field) =>
  ownDescriptors().ruleNamed(`authservice.paging.v1.PageRequest.${field}`),
) as [FieldRule, FieldRule];

/** Members of a route's query schema. */
export const PAGE_PARAMETERS = {
  page: numberParameter('Number of the page', PAGE),
  perPage: numberParameter('Items on a page', PER_PAGE),
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

/** Converts validated parameters to the core's PageRequest. 0 means the core's default. */
export function pageRequest({ page = '0', perPage = '0' }: { page?: string; perPage?: string }): PageRequest {
  return { page: Number(page), perPage: Number(perPage) };
}

/** Sets the paging headers of a list response. The links keep the other query parameters of the request. */
export function setPageHeaders(request: FastifyRequest, reply: FastifyReply, info: PageInfo | undefined): void {
  if (info === undefined) throw new TypeError('The core sent no page');
  const { page, perPage, total } = info;
  reply.headers({
    'x-total-count': total,
    'x-page': page,
    'x-per-page': perPage,
    link: links(request.originalUrl, info)
      .map(([relation, url]) => `<${url}>; rel="${relation}"`)
      .join(', '),
  });
}

/** Returns the links of a page (RFC 8288 section 3). For a page beyond the end, `prev` is the last page. */
function links(target: string, { page, perPage, total }: PageInfo): [relation: string, url: string][] {
  const last = Math.min(Math.max(Math.ceil(total / perPage), 1), PAGE.max);
  const pages: [string, number | undefined][] = [
    ['first', 1],
    ['prev', page > 1 ? Math.min(page - 1, last) : undefined],
    ['next', page < last ? page + 1 : undefined],
    ['last', last],
  ];
  const before = `${requestPath(target)}?${otherParameters(target)}`;
  return pages.flatMap(([relation, number]) =>
    number === undefined ? [] : [[relation, `${before}page=${number}&perPage=${perPage}`]],
  );
}

/** Returns the query of a request without the page's parameters, with an ampersand at its end if it is not empty. */
function otherParameters(target: string): string {
  const query = new URLSearchParams(target.split('?').slice(1).join('?'));
  query.delete('page');
  query.delete('perPage');
  return query.size === 0 ? '' : `${query.toString()}&`;
}
