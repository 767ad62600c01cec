// Web origins (RFC 6454) as the values of the Origin header.

/** The web origins that may send requests with credentials. */
export interface AllowedOrigins {
  /** Exact values of the Origin header. */
  readonly origins: readonly string[];
  /** Whether http://localhost and http://127.0.0.1 are allowed too, with any port. */
  readonly anyLoopbackPort: boolean;
}

const LOOPBACK = /^http:\/\/(?:localhost|127\.0\.0\.1)(?::\d{1,5})?$/;

/** Creates a function that returns whether an Origin header is exactly one of the allowed origins. */
export function originMatcher({ origins, anyLoopbackPort }: AllowedOrigins): (origin: string) => boolean {
  const listed = new Set(origins);
  return (origin) => listed.has(origin) || (anyLoopbackPort && LOOPBACK.test(origin));
}
