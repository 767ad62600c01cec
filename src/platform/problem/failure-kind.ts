// The columns of the catalogue of failures.

/** Error codes of RFC 6749 sections 4.1.2.1 and 5.2, RFC 7009 section 2.2.1, RFC 8628 section 3.5, RFC 8707 and OpenID Connect Core section 3.1.2.6. */
export type OAuthCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  | 'unsupported_token_type'
  | 'invalid_grant'
  | 'unauthorized_client'
  | 'authorization_pending'
  | 'slow_down'
  | 'access_denied'
  | 'expired_token'
  | 'invalid_target'
  | 'unsupported_response_type'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'registration_not_supported'
  | 'insufficient_scope'
  | 'server_error'
  | 'temporarily_unavailable';

/** The gRPC statuses of failures, by the names of google.rpc.Code. */
type GrpcStatusName =
  | 'CANCELLED'
  | 'INVALID_ARGUMENT'
  | 'DEADLINE_EXCEEDED'
  | 'NOT_FOUND'
  | 'PERMISSION_DENIED'
  | 'RESOURCE_EXHAUSTED'
  | 'FAILED_PRECONDITION'
  | 'ABORTED'
  | 'OUT_OF_RANGE'
  | 'UNIMPLEMENTED'
  | 'INTERNAL'
  | 'UNAVAILABLE'
  | 'UNAUTHENTICATED';

/** How callers see a failure. */
export interface FailureKind {
  /** HTTP status. */
  readonly status: number;
  /** Stable code: `errorCode`, and the end of `type`. */
  readonly code: string;
  readonly title: string;
  /** The public text: shown under minimal disclosure, and if an error has no text of its own. */
  readonly detail: string;
  /** The interface fixes `detail`. It is shown in both disclosure modes. */
  readonly fixedDetail?: true;
  /** Maximal disclosure shows the actual reason in the diagnostics only. The violations say what is wrong. */
  readonly keepsPublicText?: true;
  /** Minimal disclosure shows this failure as BAD_CREDENTIALS, except for a lock in Profile B. */
  readonly refusedLogin?: true;
  /** Bearer authentication failed: the response names the scheme (RFC 6750 section 3). */
  readonly bearerChallenge?: true;
  /** The `error` of that challenge (RFC 6750 section 3.1). Default: none. */
  readonly bearerError?: 'insufficient_user_authentication';
  /** `Retry-After` in seconds if the core names no time. */
  readonly retryAfterSeconds?: number;
  /** The core always names the time of `Retry-After`. */
  readonly namesRetryAfter?: true;
  /** The code at the endpoints of machine clients; if absent DEFAULT_OAUTH_CODE. */
  readonly oauthCode?: OAuthCode;
  /** The HTTP status at these endpoints, if it differs. */
  readonly oauthStatus?: number;
  /** The code at Profile B's authentication endpoints; if absent the failure's name. */
  readonly profileBCode?: string;
}

/** How callers see a failure that the core reports. */
export interface ReasonKind extends FailureKind {
  readonly grpcStatus: GrpcStatusName;
}

/** A failure as the catalogue declares it. A code or title that is missing follows from the name. */
export type Entry<Kind extends FailureKind> = Omit<Kind, 'code' | 'title'> & Partial<Pick<Kind, 'code' | 'title'>>;
