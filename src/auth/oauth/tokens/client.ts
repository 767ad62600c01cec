// How a client authenticates: the types that the token requests and their authentication share.
import type { BasicAuthentication } from '../../../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import type { Account } from '../../access/account.ts';
import type { Call } from '../../access/principal.ts';
import type { Application } from '../applications/application.ts';

/** What a request has of its client. */
export interface PresentedClient {
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  readonly clientAssertion?: string | undefined;
  readonly clientAssertionType?: string | undefined;
  readonly basic?: BasicAuthentication | undefined;
}

/** The endpoint that is called: its URL can be the audience of an assertion. */
export type ClientEndpoint = 'token' | 'par' | 'introspect' | 'revoke';

/** Returns the application that a request is from. Rejects with INVALID_CLIENT, INVALID_REQUEST or UNAUTHORIZED_CLIENT. */
export type AuthenticateApplication = (
  presented: PresentedClient,
  call: Call,
  endpoint: ClientEndpoint,
) => Promise<Application>;

/** An authenticated client: an application, or a service account. */
export type Client =
  | { readonly kind: 'application'; readonly application: Application }
  | { readonly kind: 'service-account'; readonly account: Account };
