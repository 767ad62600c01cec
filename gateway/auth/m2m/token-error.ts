// Errors of the machine client endpoints (RFC 6749 section 5.2): `{error, error_description}`, or problem documents for JSON
// requests. Both have the same codes and statuses.
import type { Diagnostics } from '../../../src/platform/rpc/errors/rpc-error.ts';
import { CATALOGUE, DEFAULT_OAUTH_CODE, type FailureName } from '../../../src/platform/problem/catalogue.ts';
import type { OAuthCode } from '../../../src/platform/problem/failure-kind.ts';
import { toProblem, type Disclosed, type ProblemDocument } from '../../../src/platform/problem/problem.ts';
import { type ErrorFormat, PROBLEMS } from '../../errors/error-formats.ts';
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
 * Returns the error format of the machine client endpoints. The content type of the request determines whether the body is a
 * problem document.
 *
 * @param realm Realm of the Basic challenge.
 * @param options.formOnly Whether the endpoint refuses JSON. Its errors are then always those of RFC 6749.
 */
export function oauthErrors(realm: string, { formOnly = false }: { readonly formOnly?: boolean } = {}): ErrorFormat {
  return {
    minimal: { textOf: (name) => tokenErrorOf(name).code },
    respond(disclosed, path, requestHeaders) {
      const { status, code } = tokenErrorOf(disclosed.name);
      const { headers, body } = toProblem(disclosed, path);
      const challenged = status === 401 && usesBasic(requestHeaders.authorization);
      const json = !formOnly && requestFormatOf({ headers: requestHeaders }) === 'json';
      return {
        status,
        headers: {
          ...headers,
          'cache-control': 'no-store',
          pragma: 'no-cache',
          ...(!json && { 'content-type': 'application/json' }),
          ...(challenged && { 'www-authenticate': `Basic realm="${realm}"` }),
        },
        body: json ? tokenProblem(body, code, status) : tokenError(disclosed, code),
      };
    },
    errorOf: tokenErrorOf,
    isChallenge: (name) => tokenErrorOf(name).status === 401,
    schemas: { ...(!formOnly && PROBLEMS.schemas), 'application/json': 'OAuthError' },
  };
}

function tokenProblem(body: ProblemDocument, code: string, status: number): ProblemDocument {
  const title = code === DEFAULT_OAUTH_CODE ? CATALOGUE.INVALID_REQUEST.title : body.title;
  return { ...body, type: `urn:service:error:${code}`, title, status, errorCode: code };
}

/** Returns the body of an error (RFC 6749 section 5.2). */
export function tokenError({ detail, diagnostics }: Pick<Disclosed, 'detail' | 'diagnostics'>, code: string) {
  const description = `${detail}${diagnostics ? diagnosticsText(diagnostics) : ''}`;
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
