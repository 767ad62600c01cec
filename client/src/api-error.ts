const DECIMAL = /^\d{1,9}$/;

/** Parses a Retry-After header: seconds or a date (RFC 9110 section 10.2.3). */
export function retryAfterMs(headers: Headers, now: number = Date.now()): number | undefined {
  const value = headers.get('retry-after')?.trim();
  if (!value) return undefined;
  if (DECIMAL.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

/** A rule that a field of the request violates. */
export interface Violation {
  readonly message: string;
  readonly format?: string;
  readonly props?: readonly string[];
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Codes that this package sets if there is no response with a code. */
export type ClientCode = 'service-unreachable' | 'refresh-timeout' | 'refresh-lock-timeout' | 'session-ended';

interface ApiErrorDetails {
  readonly status: number;
  readonly code: string;
  readonly violations?: readonly Violation[];
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly body?: unknown;
  readonly cause?: unknown;
}

/** A failed call: an error response, or no response (status 0). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** HTTP status, 0 without a response. */
  declare readonly status: number;
  /** The service's `errorCode`, the `error` of the OAuth and Profile B formats, or a {@link ClientCode}. */
  declare readonly code: string;
  declare readonly violations: readonly Violation[];
  /** Id of this request in the service's log. */
  declare readonly requestId: string | undefined;
  /** Wait before the next attempt in milliseconds, from Retry-After. */
  declare readonly retryAfterMs: number | undefined;
  /** The whole body, parsed if it is JSON. */
  declare readonly body: unknown;

  constructor(message: string, { cause, ...details }: ApiErrorDetails) {
    super(message, { cause });
    Object.assign(this, { violations: [] }, details);
  }
}

/** Creates the error of a call without a response. */
export function noResponse(code: ClientCode, message: string, cause?: unknown): ApiError {
  return new ApiError(message, { status: 0, code, cause });
}

/** Parses an error response in any of the service's three formats. */
export async function readError(response: Response): Promise<ApiError> {
  const body = await response.text().then(parseJson, () => undefined);
  const fields = Object(body) as Record<string, unknown>;
  const { status, headers } = response;
  const first = (...names: readonly string[]) =>
    names.map((name) => fields[name]).find((value): value is string => typeof value === 'string' && value !== '');
  const message = first('detail', 'error_description', 'message', 'title');
  return new ApiError(message ?? `The service responded with ${status}`, {
    status,
    code: first('errorCode', 'error') ?? `http-${status}`,
    violations: Array.isArray(fields['violations']) ? (fields['violations'] as Violation[]) : [],
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterMs: retryAfterMs(headers),
    body,
  });
}

function parseJson(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return source;
  }
}
