// Errors of the endpoints of machine clients (RFC 6749 section 5.2): `{error, error_description}`, or problem documents for JSON requests,
// with the same codes and statuses.
import type { Diagnostics } from '../../../src/rpc/errors/rpc-error.ts';
import { CATALOGUE, DEFAULT_OAUTH_CODE } from '../../../src/problem/catalogue.ts';
import type { FailureName } from '../../../src/problem/catalogue.ts';
import type { OAuthCode } from '../../../src/problem/failure-kind.ts';
import type { ErrorResponse, SendError } from '../../errors/error-formats.ts';
import { problem } from '../../../src/problem/problem.ts';
import type { DisclosureMode, Failure, ProblemDocument } from '../../../src/problem/problem.ts';
import { sendErrorAnswer } from '../../errors/send-problem.ts';
import { requestPath } from '../../../src/problem/request-path.ts';
import { dialectOf, usesBasic } from './dialect.ts';

/**
 * Status and OAuth code of a failure at the token endpoint. HTTP's own failures keep their status (405, 408, 413, 431), except for an
 * unsupported media type: that is a malformed request, 400.
 */
export function tokenErrorOf(name: FailureName): { readonly status: number; readonly code: OAuthCode } {
  const { status, oauthStatus = status, oauthCode = DEFAULT_OAUTH_CODE } = CATALOGUE[name];
  return { status: oauthStatus, code: oauthCode };
}

/**
 * Answers failed requests of the token endpoint in the dialect that their content type picks.
 *
 * @param realm Of the challenge to clients that authenticate by Basic.
 */
export function tokenErrorDialect(realm: string): SendError {
  return (request, reply, told, mode) => {
    const { status, code } = tokenErrorOf(told.name);
    const { headers, body } = problem(told, mode, requestPath(request.originalUrl));
    const challenged = status === 401 && usesBasic(request.headers.authorization);
    const json = dialectOf(request) === 'json';
    sendErrorAnswer(request, reply, {
      status,
      headers: {
        ...headers,
        'cache-control': 'no-store',
        pragma: 'no-cache',
        ...(!json && { 'content-type': 'application/json' }),
        ...(challenged && { 'www-authenticate': `Basic realm="${realm}"` }),
      },
      body: json ? tokenProblem(body, code, status, mode) : tokenError(told, code, mode),
    });
  };
}

/** The same where no request could be read, so that nothing picks a dialect: the form dialect's. */
export function unreadTokenError(told: Failure, mode: DisclosureMode): ErrorResponse {
  const { status, code } = tokenErrorOf(told.name);
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store', pragma: 'no-cache' };
  return { status, headers, body: tokenError(told, code, mode) };
}

function tokenProblem(body: ProblemDocument, code: string, status: number, mode: DisclosureMode): ProblemDocument {
  const detail = mode === 'maximal' ? body.detail : code;
  const title = code === DEFAULT_OAUTH_CODE ? CATALOGUE.INVALID_REQUEST.title : body.title;
  return { ...body, type: `urn:service:error:${code}`, title, status, detail, errorCode: code };
}

function tokenError(told: Failure, code: string, mode: DisclosureMode) {
  const { message, diagnostics } = told;
  const description = mode === 'maximal' ? `${message}${diagnostics ? inWords(diagnostics) : ''}` : code;
  return { error: code, error_description: describable(description) };
}

function inWords({ exceptionType, exceptionMessage, stackTrace }: Diagnostics): string {
  return ` (exceptionType: ${exceptionType}; exceptionMessage: ${exceptionMessage}; stackTrace: ${stackTrace})`;
}

/** Keeps a text within the characters of error_description: %x20-21 / %x23-5B / %x5D-7E. */
export function describable(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replaceAll('"', "'")
    .replaceAll('\\', '/')
    .replace(/[^ -~]/gu, '?');
}
