// Problem documents (RFC 9457): what a failure becomes on the wire, and nothing about how it is sent.
import type { Violation } from '../../src/errors.ts';
import type { Diagnostics, ErrorStatus } from '../../src/rpc/rpc-error.ts';
import { CATALOGUE, MISSING_LOGIN_CREDENTIALS } from './catalogue.ts';
import type { FailureKind, FailureName } from './catalogue.ts';

export type DisclosureMode = 'maximal' | 'minimal';

/** A failure before anybody has decided how much of it is told. */
export interface Failure extends Omit<ErrorStatus, 'reason' | 'requestId'> {
  readonly name: FailureName;
}

/** The body of an error answer. */
export interface ProblemDocument extends Partial<Diagnostics> {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly errorCode: string;
  readonly instance?: string;
  readonly violations?: readonly Violation[];
}

/** An error answer without its transport: status, headers and body. */
export interface Problem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ProblemDocument;
}

/** A failure that has nothing to add to its catalogue entry. */
export function failure(name: FailureName, message: string = CATALOGUE[name].detail): Failure {
  return { name, message, violations: [], retryAfterMs: undefined, diagnostics: undefined };
}

/** Under minimal disclosure every refused login is the same one, whatever else the core has told of it. */
function disclosed(told: Failure, mode: DisclosureMode): Failure {
  return mode === 'minimal' && CATALOGUE[told.name].refusedLogin ? failure('BAD_CREDENTIALS') : told;
}

function detailOf(kind: FailureKind, message: string, mode: DisclosureMode): string {
  if (kind.fixedDetail) return kind.detail;
  return mode === 'maximal' || message === MISSING_LOGIN_CREDENTIALS ? message : kind.detail;
}

function headersOf(kind: FailureKind, retryAfterMs: number | undefined): Record<string, string> {
  const retryAfter = retryAfterMs === undefined ? kind.retryAfterSeconds : Math.max(1, Math.ceil(retryAfterMs / 1000));
  return {
    'content-type': 'application/problem+json',
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    ...(kind.bearerChallenge && { 'www-authenticate': 'Bearer' }),
  };
}

/**
 * Builds the answer to a failed request.
 *
 * @param instance The request's path; undefined where not even that could be read.
 */
export function problem(told: Failure, mode: DisclosureMode, instance: string | undefined): Problem {
  const { name, message, violations, retryAfterMs, diagnostics } = disclosed(told, mode);
  const kind = CATALOGUE[name];
  return {
    status: kind.status,
    headers: headersOf(kind, retryAfterMs),
    body: {
      type: `urn:service:error:${kind.code}`,
      title: kind.title,
      status: kind.status,
      detail: detailOf(kind, message, mode),
      errorCode: kind.code,
      ...(instance !== undefined && { instance }),
      ...(violations.length > 0 && { violations }),
      ...(mode === 'maximal' && diagnostics),
    },
  };
}
