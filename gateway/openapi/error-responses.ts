// The error responses of routes in the OpenAPI document: one per status, with its error codes.
import { Type } from '../type.ts';
import { tokenErrorOf } from '../auth/m2m/token-error.ts';
import { profileBCode } from '../auth/profile-b/error.ts';
import { CATALOGUE } from '../../src/platform/problem/catalogue.ts';
import type { FailureName } from '../../src/platform/problem/catalogue.ts';

/** The error format of a route. */
export interface ErrorFormat {
  /** Returns the status and the error code of a failure. */
  readonly errorOf: (name: FailureName) => { readonly status: number; readonly code: string };
  /** Whether the response has a WWW-Authenticate header. */
  readonly isChallenge: (name: FailureName) => boolean;
  /** Schemas by media type. */
  readonly content: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>>;
}

const referTo = (name: string) => ({ schema: { $ref: `#/components/schemas/${name}` } });

const isBearerChallenge = (name: FailureName) => CATALOGUE[name].bearerChallenge === true;

export const PROBLEMS: ErrorFormat = {
  errorOf: (name) => CATALOGUE[name],
  isChallenge: isBearerChallenge,
  content: { 'application/problem+json': referTo('Problem') },
};
export const OAUTH_ERRORS: ErrorFormat = {
  errorOf: tokenErrorOf,
  isChallenge: (name) => tokenErrorOf(name).status === 401,
  content: { ...PROBLEMS.content, 'application/json': referTo('OAuthError') },
};
export const PROFILE_B_ERRORS: ErrorFormat = {
  errorOf: (name) => ({ status: CATALOGUE[name].status, code: profileBCode(name) }),
  isChallenge: isBearerChallenge,
  content: { 'application/json': referTo('ProfileBError') },
};

/** Failures of all routes, before the handler is called. */
const ANYWHERE: readonly FailureName[] = [
  'MALFORMED_REQUEST',
  'REQUEST_TIMEOUT',
  'HEADERS_TOO_LARGE',
  'INTERNAL_ERROR',
  'NOT_IMPLEMENTED',
];
const WITH_BODY: readonly FailureName[] = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];

export interface DescribedRoute {
  readonly method: string | readonly string[];
  readonly config?: {
    readonly rpc?: string | undefined;
    readonly checksCredential?: boolean;
    readonly failures?: readonly FailureName[];
    readonly oauthErrors?: boolean;
    readonly bodyIsOptional?: boolean;
  };
}

function failuresOf({ method, config = {} }: DescribedRoute): FailureName[] {
  const outage = config.checksCredential ? 'AUTHENTICATION_SERVICE_UNAVAILABLE' : 'SERVICE_UNAVAILABLE';
  return [
    ...ANYWHERE,
    ...(method === 'GET' ? [] : WITH_BODY),
    ...(config.rpc === undefined ? [] : [outage as FailureName]),
    ...(config.failures ?? []),
  ];
}

const RETRY_AFTER = { 'Retry-After': Type.Integer({ description: 'Seconds to wait before the next attempt.' }) };
const CHALLENGE = {
  'WWW-Authenticate': Type.String({ description: 'The scheme by which authentication failed.' }),
};

const UNSATISFIED_RANGE = { 'Content-Range': Type.String({ description: 'The size of the file in bytes.' }) };

/** Returns one response per failure status of a route. Its description lists the error codes. */
export function errorResponses(route: DescribedRoute, format: ErrorFormat): Record<string, unknown> {
  const byStatus = Map.groupBy(failuresOf(route), (name) => format.errorOf(name).status);
  return Object.fromEntries([...byStatus].map(([status, named]) => [status, errorResponse(named, format)]));
}

function errorResponse(failures: readonly FailureName[], { errorOf, isChallenge, content }: ErrorFormat) {
  const codes = new Set(failures.map((name) => errorOf(name).code));
  const headers = {
    ...(failures.some(isChallenge) && CHALLENGE),
    ...(failures.includes('RANGE_NOT_SATISFIABLE') && UNSATISFIED_RANGE),
    ...(failures.some((name) => CATALOGUE[name].retryAfterSeconds !== undefined) && RETRY_AFTER),
  };
  return { description: [...codes].join(', '), content, ...(Object.keys(headers).length > 0 && { headers }) };
}
