// How the OpenAPI document describes the operation of an RPC, from its comment and its access rule.
import { CATALOGUE, type FailureName } from '../../src/problem/catalogue.ts';
import type { DescMethod } from '../../src/rpc/contract/descriptors.ts';
import { LIST_FAILURES } from '../business/failures.ts';
import type { Route } from '../endpoint.ts';
import { commentOn, errorsNamedOn } from '../openapi/comments.ts';
import { BEARER_ONLY, SECURITY } from '../security.ts';
import { contracts } from './contracts.ts';
import { conventionsOf } from './conventions.ts';

/** What the schema of a route says of its operation. */
export interface Operation {
  readonly summary: string;
  readonly description: string;
  readonly tags: string[];
  readonly security: Record<string, string[]>[];
}

/** The operation of an RPC. Its summary is the first sentence of the comment; a PUT replaces what a PATCH updates. */
export function operationOf(method: DescMethod, httpMethod?: Route['method']): Operation {
  const comment = commentOn(nameOf(method));
  const replaces = httpMethod === 'PUT' && comment.startsWith('Update ');
  const description = replaces
    ? `${comment.replace('Update', 'Replace')} Optional fields that the body leaves out get their default.`
    : comment;
  const [summary] = description.split(/(?<=\.)\s/);
  return {
    summary: summary!.replace(/\.$/, ''),
    description,
    tags: [conventionsOf(method).tag],
    security: contracts().accessOf(method)?.refusesApiKeys === true ? BEARER_ONLY : SECURITY,
  };
}

/** How an RPC can fail, beside what every route can. Throws if its comment names an unknown error. */
export function failuresOf(method: DescMethod): readonly FailureName[] {
  const named = errorsNamedOn(nameOf(method));
  const unknown = named.filter((name) => !Object.hasOwn(CATALOGUE, name));
  if (unknown.length > 0) throw new Error(`${method.name} names unknown errors: ${unknown.join(', ')}`);
  return [...new Set([...LIST_FAILURES, ...(named as FailureName[])])];
}

function nameOf({ parent, name }: DescMethod): string {
  return `${parent.typeName}/${name}`;
}
