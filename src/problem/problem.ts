// Problem documents (RFC 9457): what a failure becomes on the wire, and nothing about how it is sent.
import type { Violation } from '../errors.ts';
import type { Diagnostics, ErrorStatus } from '../rpc/errors/rpc-error.ts';
import { CATALOGUE, MISSING_LOGIN_CREDENTIALS } from './catalogue.ts';
import type { FailureName } from './catalogue.ts';
import type { FailureKind } from './failure-kind.ts';

export type DisclosureMode = 'maximal' | 'minimal';

/** A failure before anybody has decided how much of it is told. */
export interface Failure extends Omit<ErrorStatus, 'reason' | 'requestId' | 'dependency'> {
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

/** What is told of a failure, in whichever form. */
export interface DisclosedFailure {
  readonly name: FailureName;
  readonly status: number;
  /** All but the content type. */
  readonly headers: Readonly<Record<string, string>>;
  readonly detail: string;
  readonly violations: readonly Violation[];
  readonly diagnostics: Diagnostics | undefined;
}

/**
 * Decides how much of a failure is told. Under minimal disclosure every refused login is the same one, whatever else the core
 * has told of it.
 *
 * @param toldAlways Refused logins that minimal disclosure names all the same.
 */
export function applyDisclosure(
  told: Failure,
  mode: DisclosureMode,
  toldAlways: readonly FailureName[] = [],
): DisclosedFailure {
  const hidden = mode === 'minimal' && CATALOGUE[told.name].refusedLogin && !toldAlways.includes(told.name);
  const { name, message, violations, retryAfterMs, diagnostics } = hidden ? failure('BAD_CREDENTIALS') : told;
  const kind = CATALOGUE[name];
  return {
    name,
    status: kind.status,
    headers: headersOf(kind, retryAfterMs),
    detail: detailOf(kind, message, mode),
    violations,
    diagnostics: mode === 'maximal' ? diagnostics : undefined,
  };
}

function detailOf(kind: FailureKind, message: string, mode: DisclosureMode): string {
  if (kind.fixedDetail) return kind.detail;
  return mode === 'maximal' || message === MISSING_LOGIN_CREDENTIALS ? message : kind.detail;
}

function headersOf(kind: FailureKind, retryAfterMs: number | undefined): Record<string, string> {
  const retryAfter = retryAfterMs === undefined ? kind.retryAfterSeconds : Math.max(1, Math.ceil(retryAfterMs / 1000));
  return {
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
  const { name, status, headers, detail, violations, diagnostics } = applyDisclosure(told, mode);
  const { code, title } = CATALOGUE[name];
  return {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
    body: {
      type: `urn:service:error:${code}`,
      title,
      status,
      detail,
      errorCode: code,
      ...(instance !== undefined && { instance }),
      ...(violations.length > 0 && { violations }),
      ...diagnostics,
    },
  };
}
