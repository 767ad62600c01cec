// Builds problem documents (RFC 9457) from failures. Sending them is not part of this file.
import type { DisclosureMode, LoginChallenge, StepUp, Violation } from '../errors.ts';
import type { Diagnostics, ErrorStatus } from '../rpc/errors/rpc-error.ts';
import { CATALOGUE, MISSING_LOGIN_CREDENTIALS, refusesUser, type FailureName } from './catalogue.ts';
import type { FailureKind } from './failure-kind.ts';

/** A failure before disclosure is applied. */
export interface Failure extends Omit<ErrorStatus, 'reason' | 'requestId' | 'dependency'> {
  readonly name: FailureName;
}

/** The body of an error response. */
export interface ProblemDocument extends Partial<Diagnostics> {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly errorCode: string;
  readonly instance?: string;
  readonly violations?: readonly Violation[];
  /** The challenge of a login that needs a second factor. */
  readonly challenge?: string;
  /** The second factors that the login or the session needs. */
  readonly methods?: LoginChallenge['methods'];
  readonly expiresIn?: number;
}

/** An error response without its transport: status, headers and body. */
export interface Problem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ProblemDocument;
}

/** Creates a failure with the text of its catalogue entry. */
export function failure(name: FailureName, message: string = CATALOGUE[name].detail): Failure {
  return { name, message, violations: [], retryAfterMs: undefined, diagnostics: undefined };
}

/** What a format of error responses shows under minimal disclosure. */
export interface MinimalDisclosure {
  /** Refused logins that are not hidden. */
  readonly alwaysNamed?: readonly FailureName[];
  /** Returns the text of a failure. Default: that of the catalogue. */
  readonly textOf?: (name: FailureName) => string;
}

/** The disclosed part of a failure: all headers except the content type. */
export type Disclosed = ReturnType<typeof applyDisclosure>;

/** Reduces a failure to its disclosed part, for every error format. Under minimal disclosure all refused logins look the same. */
export function applyDisclosure(
  reported: Failure,
  mode: DisclosureMode,
  { alwaysNamed = [], textOf = (name) => CATALOGUE[name].detail }: MinimalDisclosure = {},
) {
  const hidden = mode === 'minimal' && refusesUser(reported.name) && !alwaysNamed.includes(reported.name);
  const shown = hidden ? failure('BAD_CREDENTIALS') : reported;
  const { name, message, violations, challenge, stepUp, diagnostics } = shown;
  const kind = CATALOGUE[name];
  return {
    name,
    status: kind.status,
    headers: headersOf(kind, shown),
    detail: mode === 'minimal' && message !== MISSING_LOGIN_CREDENTIALS ? textOf(name) : actualText(kind, message),
    violations,
    challenge,
    methods: stepUp?.methods,
    diagnostics: mode === 'maximal' ? diagnostics : undefined,
  };
}

function actualText({ fixedDetail, detail }: FailureKind, message: string): string {
  return fixedDetail ? detail : message;
}

function headersOf(
  kind: FailureKind,
  { retryAfterMs, stepUp }: Pick<Failure, 'retryAfterMs' | 'stepUp'>,
): Record<string, string> {
  const retryAfter = retryAfterMs === undefined ? kind.retryAfterSeconds : Math.max(1, Math.ceil(retryAfterMs / 1000));
  return {
    ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
    ...(kind.bearerChallenge && { 'www-authenticate': bearerChallenge(kind, stepUp) }),
  };
}

/** The challenge of the bearer scheme (RFC 6750 section 3), with the parameters of RFC 9470 section 3. */
function bearerChallenge({ bearerError }: FailureKind, { maxAge, amr }: StepUp = {}): string {
  const parameters = [
    bearerError && `error="${bearerError}"`,
    amr && 'error_description="Multi-factor authentication is required"',
    maxAge === undefined ? undefined : `max_age="${maxAge}"`,
  ].filter((parameter) => parameter !== undefined);
  return parameters.length === 0 ? 'Bearer' : `Bearer ${parameters.join(', ')}`;
}

/**
 * Builds the response to a failed request.
 *
 * @param instance The request's path; undefined if it could not be read.
 */
export function problem(reported: Failure, mode: DisclosureMode, instance: string | undefined): Problem {
  return toProblem(applyDisclosure(reported, mode), instance);
}

/** A challenge that asks for a new password has no methods. */
function membersOf({ methods, ...challenge }: LoginChallenge): Partial<LoginChallenge> {
  return { ...challenge, ...(methods.length > 0 && { methods }) };
}

/** Builds the response that shows the disclosed part of a failure. */
export function toProblem(disclosed: Disclosed, instance: string | undefined): Problem {
  const { name, status, headers, detail, violations, challenge, methods, diagnostics } = disclosed;
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
      ...(challenge && membersOf(challenge)),
      ...(methods && { methods }),
      ...diagnostics,
    },
  };
}
