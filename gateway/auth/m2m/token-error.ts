// Errors of the machine client endpoints (RFC 6749 section 5.2): `{error, error_description}`, or problem documents for JSON
// requests. Both have the same codes and statuses.
import type { Diagnostics } from '../../../src/platform/rpc/errors/rpc-error.ts';
import { CATALOGUE, DEFAULT_OAUTH_CODE } from '../../../src/platform/problem/catalogue.ts';
import type { FailureName } from '../../../src/platform/problem/catalogue.ts';
import type { OAuthCode } from '../../../src/platform/problem/failure-kind.ts';
import type { ErrorResponse, SendError } from '../../errors/error-formats.ts';
import { problem } from '../../../src/platform/problem/problem.ts';
import type { DisclosureMode, Failure, ProblemDocument } from '../../../src/platform/problem/problem.ts';
import { sendErrorResponse } from '../../errors/send-problem.ts';
import { requestPath } from '../../../src/platform/problem/request-path.ts';
import { requestFormatOf, usesBasic } from './request-format.ts';

/**
 * Returns the status and OAuth code of a failure at the token endpoint. HTTP failures keep their status (405, 408, 413, 431),
 * except for an unsupported media type, which is 400.
 */
export function tokenErrorOf(name: FailureName): { readonly status: number; readonly code: OAuthCode } {
  const { status, oauthStatus = status, oauthCode = DEFAULT_OAUTH_CODE } = CATALOGUE[name];
  return { status: oauthStatus, code: oauthCode };
}

/**
 * Creates the error sender of the token endpoint. The content type of the request determines the error format.
 *
 * @param realm Realm of the Basic challenge.
 */
export function createTokenErrorSender(realm: string): SendError {
  return (request, reply, failure, mode) => {
    const { status, code } = tokenErrorOf(failure.name);
    const { headers, body } = problem(failure, mode, requestPath(request.originalUrl));
    const challenged = status === 401 && usesBasic(request.headers.authorization);
    const json = requestFormatOf(request) === 'json';
    sendErrorResponse(request, reply, {
      status,
      headers: {
        ...headers,
        'cache-control': 'no-store',
        pragma: 'no-cache',
        ...(!json && { 'content-type': 'application/json' }),
        ...(challenged && { 'www-authenticate': `Basic realm="${realm}"` }),
      },
      body: json ? tokenProblem(body, code, status, mode) : tokenError(failure, code, mode),
    });
  };
}

/** Formats an error as for a form request. For input that is not an HTTP request and so has no content type. */
export function formatTokenError(failure: Failure, mode: DisclosureMode): ErrorResponse {
  const { status, code } = tokenErrorOf(failure.name);
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store', pragma: 'no-cache' };
  return { status, headers, body: tokenError(failure, code, mode) };
}

function tokenProblem(body: ProblemDocument, code: string, status: number, mode: DisclosureMode): ProblemDocument {
  const detail = mode === 'maximal' ? body.detail : code;
  const title = code === DEFAULT_OAUTH_CODE ? CATALOGUE.INVALID_REQUEST.title : body.title;
  return { ...body, type: `urn:service:error:${code}`, title, status, detail, errorCode: code };
}

function tokenError(failure: Failure, code: string, mode: DisclosureMode) {
  const { message, diagnostics } = failure;
  const description = mode === 'maximal' ? `${message}${diagnostics ? diagnosticsText(diagnostics) : ''}` : code;
  return { error: code, error_description: toErrorDescription(description) };
}

function diagnosticsText({ exceptionType, exceptionMessage, stackTrace }: Diagnostics): string {
  return ` (exceptionType: ${exceptionType}; exceptionMessage: ${exceptionMessage}; stackTrace: ${stackTrace})`;
}

/**
 * Replaces characters that error_description must not contain. Allowed are %x20-21 / %x23-5B / %x5D-7E (RFC 6749 section 5.2).
 */
export function toErrorDescription(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replaceAll('"', "'")
    .replaceAll('\\', '/')
    .replace(/[^ -~]/gu, '?');
}
