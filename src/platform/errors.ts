// Errors: a reason, a public message for every caller, and details shown only under maximal disclosure. The three are
// kept separate from the start.
import type { Reason } from '../../proto/gen/authservice/error/v1/reason.ts';

type Suffix<Key> = Key extends `REASON_${infer Name}` ? Name : never;

/** The reasons of proto/authservice/error/v1/reason.proto, without their prefix. */
export type ReasonName = Exclude<Suffix<keyof typeof Reason>, 'UNSPECIFIED'>;

export type DisclosureMode = 'maximal' | 'minimal';

/** A broken rule of one field of the request. */
export interface Violation {
  /** Description of the violation for a person. */
  readonly message: string;
  /** The rule's name: `required`, `type`, `maxLength` … */
  readonly format?: string;
  /** The path to the field, outermost first. */
  readonly props?: readonly string[];
  /** The rule's parameters. */
  readonly params?: Readonly<Record<string, unknown>>;
}

/** The authentication that a session lacks (RFC 9470). */
export interface StepUp {
  /** How many seconds old the authentication may be; undefined if any age suffices. */
  readonly maxAge?: number | undefined;
  /** The method that is missing (RFC 8176). */
  readonly amr?: 'mfa' | undefined;
  /** The second factors that confirm the session. */
  readonly methods?: readonly FactorMethod[] | undefined;
}

/** The dependencies that callers can distinguish. */
export type Dependency = 'authentication';

/** The challenge of a login whose password was right. */
export interface LoginChallenge {
  /** A secret of the caller. */
  readonly challenge: string;
  /** The methods that the caller can answer with. */
  readonly methods: readonly FactorMethod[];
  /** Lifetime in seconds. */
  readonly expiresIn: number;
}

/** A way to prove a second factor. */
export type FactorMethod = 'totp' | 'passkey' | 'recovery-code' | 'access-code';

interface ServiceErrorOptions {
  /** The actual reason, shown only under maximal disclosure. Never a secret, a token, a hash or SQL values. */
  readonly detail?: string | undefined;
  /** Replaces the reason's generic public message, in every disclosure mode. */
  readonly publicMessage?: string | undefined;
  readonly violations?: readonly Violation[];
  /** Minimal disclosure shows this refusal of a user by its own reason. */
  readonly alwaysNamed?: boolean | undefined;
  /** How long the caller should wait before trying again, in milliseconds. */
  readonly retryAfterMs?: number;
  readonly stepUp?: StepUp;
  /** The dependency that the call was waiting for. */
  readonly dependency?: Dependency | undefined;
  /** The challenge of a login that needs a second factor. */
  readonly challenge?: LoginChallenge;
  readonly cause?: unknown;
}

/** Thrown by a handler to refuse a call. Any other thrown value is an unexpected server error. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly reason: ReasonName;
  readonly publicMessage: string | undefined;
  readonly alwaysNamed: boolean;
  readonly violations: readonly Violation[];
  readonly retryAfterMs: number | undefined;
  readonly stepUp: StepUp | undefined;
  readonly dependency: Dependency | undefined;
  readonly challenge: LoginChallenge | undefined;

  constructor(reason: ReasonName, options: ServiceErrorOptions = {}) {
    super(
      options.detail ?? options.publicMessage ?? reason,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.reason = reason;
    this.publicMessage = options.publicMessage;
    this.alwaysNamed = options.alwaysNamed ?? false;
    this.violations = options.violations ?? [];
    this.retryAfterMs = options.retryAfterMs;
    this.stepUp = options.stepUp;
    this.dependency = options.dependency;
    this.challenge = options.challenge;
  }
}

/** A dependency (the database, Redis) was unreachable or did not respond in time. A later retry may succeed. */
export class DependencyUnavailableError extends Error {
  override readonly name = 'DependencyUnavailableError';
  /** The start and the end of an outage of the database are logged, so that its single failures need not be. */
  readonly isOfDatabase: boolean = false;
}

/** Logs need the stack of an unexpected server error; for problems around the service, the message suffices. */
export function isDefect(error: unknown): boolean {
  return !(error instanceof Error) || [TypeError, RangeError, ReferenceError].some((kind) => error instanceof kind);
}
