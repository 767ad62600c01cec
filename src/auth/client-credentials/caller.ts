// The clients that ask about tokens, or revoke them. `oauth` authenticates them: it knows the applications.
import type { Account } from '../access/account.ts';
import type { Call } from '../access/principal.ts';
import type { PresentedClient } from './client-credentials.ts';

/** An application (OAuth 2.1 section 2), as far as tokens concern it. */
export interface CallingApplication {
  readonly tenantId: string | undefined;
  readonly id: string;
  readonly clientId: string;
  /** The audiences that it can ask for (RFC 8707). */
  readonly resources: readonly string[];
}

/** An authenticated client. Of applications, public ones have only named themselves. */
export type Caller =
  | { readonly kind: 'application'; readonly application: CallingApplication }
  | { readonly kind: 'service-account'; readonly account: Account };

/**
 * Returns the client of a request about a token. Rejects with INVALID_REQUEST, INVALID_CLIENT or TOO_MANY_REQUESTS. A resource
 * server may send such a request with each of its own calls. So successes have a separate limit, and one audit record per minute
 * covers all of them.
 */
export type AuthenticateCaller = (
  presented: PresentedClient,
  call: Call,
  endpoint: 'introspect' | 'revoke',
) => Promise<Caller>;
