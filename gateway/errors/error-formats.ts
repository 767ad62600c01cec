// The formats of error responses.
import type { IncomingHttpHeaders } from 'node:http';
import type { DisclosureMode } from '../../src/platform/errors.ts';
import { CATALOGUE, type FailureName } from '../../src/platform/problem/catalogue.ts';
import {
  applyDisclosure,
  toProblem,
  type Disclosed,
  type Failure,
  type MinimalDisclosure,
} from '../../src/platform/problem/problem.ts';

/** An error response of any format. `headers` contain its content type. */
export interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Returns the text of the body: JSON, unless the format has made it. */
export const bodyText = ({ body }: Pick<ErrorResponse, 'body'>): string =>
  typeof body === 'string' ? body : JSON.stringify(body);

/** A format of error responses, and its part of the OpenAPI document. */
export interface ErrorFormat {
  /**
   * Builds the response to a failed request.
   *
   * @param path Path of the request. Undefined if it could not be read.
   * @param headers Headers of the request. Empty for input that could not be parsed as a request.
   */
  readonly respond: (disclosed: Disclosed, path: string | undefined, headers: IncomingHttpHeaders) => ErrorResponse;
  /** What it shows under minimal disclosure. */
  readonly minimal?: MinimalDisclosure;
  /** Returns the status and the error code of a failure. */
  readonly errorOf: (name: FailureName) => { readonly status: number; readonly code: string };
  /** Whether the response has a WWW-Authenticate header. */
  readonly isChallenge: (name: FailureName) => boolean;
  /** Names of the schemas by media type. */
  readonly schemas: Readonly<Record<string, string>>;
}

/** Returns the error format of a path, which is undefined if it is unknown. */
export type ErrorFormatOf = (path: string | undefined) => ErrorFormat;

/** Whether the response to a failure has the challenge of the bearer scheme. */
export const isBearerChallenge = (name: FailureName) => CATALOGUE[name].bearerChallenge === true;

/** Builds the response to a failed request. This is the only place that discloses a failure to REST callers. */
export function respondTo(
  failure: Failure,
  mode: DisclosureMode,
  format: ErrorFormat,
  path: string | undefined,
  headers: IncomingHttpHeaders = {},
): ErrorResponse {
  return format.respond(applyDisclosure(failure, mode, format.minimal), path, headers);
}

/** Problem documents (RFC 9457). */
export const PROBLEMS: ErrorFormat = {
  respond: toProblem,
  errorOf: (name) => CATALOGUE[name],
  isChallenge: isBearerChallenge,
  schemas: { 'application/problem+json': 'Problem' },
};
