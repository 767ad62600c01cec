// The OpenAPI operation of an RPC, derived from the proto comment and the access rule.
import { CATALOGUE, type FailureName } from '../../src/platform/problem/catalogue.ts';
import type { DescMethod } from '../../src/platform/rpc/contract/descriptors.ts';
import { isMask } from '../../src/platform/rpc/contract/values.ts';
import { BEARER_ONLY, type Route, SECURITY } from '../endpoint.ts';
import { commentOn, errorsNamedOn } from './comments.ts';
import { contracts } from './contracts.ts';

/** The part of a route's schema that describes its operation. */
export interface Operation {
  readonly summary: string;
  readonly description: string;
  readonly tags: string[];
  readonly security: Record<string, string[]>[];
}

/**
 * Returns the operation of an RPC at a route. The summary is the first sentence of the comment. For PUT, "Update" becomes
 * "Replace".
 */
export function operationOf(method: DescMethod, route: Pick<Route, 'method' | 'url'>): Operation {
  const comment = commentOn(nameOf(method));
  const replaces = route.method === 'PUT' && method.input.fields.some(isMask);
  const description = replaces
    ? `${comment.replace('Update', 'Replace')} Optional fields that the body omits get their default.`
    : comment;
  const [summary] = description.split(/(?<=\.)\s/);
  return {
    summary: summary!.replace(/\.$/, ''),
    description,
    tags: [tagOf(route.url)],
    security: contracts().accessOf(method)?.refusesApiKeys === true ? BEARER_ONLY : SECURITY,
  };
}

/** Failures of all endpoints that require a credential, in addition to those of every route. */
const COMMON_FAILURES: readonly FailureName[] = [
  'TOKEN_MISSING',
  'TOKEN_INVALID',
  'SUBJECT_UNKNOWN',
  'PERMISSION_DENIED',
  'VALIDATION_ERROR',
  'AUTHENTICATION_SERVICE_UNAVAILABLE',
];

/** Returns the failures of an RPC, in addition to those of every route. Throws if the comment lists an unknown error. */
export function failuresOf(rpc: string): readonly FailureName[] {
  const named = errorsNamedOn(rpc);
  const unknown = named.filter((name) => !Object.hasOwn(CATALOGUE, name));
  if (unknown.length > 0) throw new Error(`The comment on ${rpc} lists unknown errors: ${unknown.join(', ')}`);
  return [...new Set([...COMMON_FAILURES, ...(named as FailureName[])])];
}

function nameOf({ parent, name }: DescMethod): string {
  return `${parent.typeName}/${name}`;
}

/** Tags by the first path segments below /api/v1. The first match applies. */
const TAGS: readonly (readonly [path: RegExp, tag: string])[] = [
  [/^tenants/, 'Tenants'],
  [/^users/, 'Users'],
  [/^account\//, 'Account'],
  [/^service-accounts\/:id\/api-keys/, 'API keys'],
  [/^service-accounts/, 'Service accounts'],
  [/^audit-records/, 'Audit records'],
  [/^signing-keys/, 'Signing keys'],
  [/^credentials/, 'Credentials'],
  [/^products/, 'Products'],
  [/^orders/, 'Orders'],
  [/^customers/, 'Customers'],
  [/^dashboard/, 'Dashboard'],
  [/^reference-data/, 'Reference data'],
];

function tagOf(url: string): string {
  const path = url.replace(/^.*?\/api\/v1\//, '');
  const found = TAGS.find(([pattern]) => pattern.test(path));
  if (found === undefined) throw new Error(`The OpenAPI document has no tag for ${url}`);
  return found[1];
}
