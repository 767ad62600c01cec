// What calls send to prove who they are.
import { setTimeout as sleep } from 'node:timers/promises';
import { type CallOptions, type ClientMiddleware, type ClientMiddlewareCall, Metadata } from 'nice-grpc';
import { ClientCredentialsServiceDefinition } from '../gen/index.authservice.clientcredentials.v1.js';
import type { Core } from './channel.js';
import { CoreError } from './errors.js';
import { createTokens, type Issued } from './tokens.js';

/** Adds a credential to each call. It gets its tokens over the connection without credentials. */
export type Credential = (core: Core) => ClientMiddleware;

/** A busy core says how long to wait. */
const MAX_ATTEMPTS = 5;

/** An access token of a machine client. It is cached, renewed before it expires, and one renewal serves all callers. */
export function clientCredentials(clientId: string, clientSecret: string): Credential {
  return (core) => {
    const client = core.client(ClientCredentialsServiceDefinition);
    async function issue(): Promise<Issued> {
      for (let attempt = 1; ; attempt += 1) {
        try {
          const grant = { grantType: 'client_credentials', clientId, clientSecret };
          const { accessToken, expiresIn } = await client.issueToken(grant);
          return { token: accessToken, lifetimeSeconds: expiresIn };
        } catch (error) {
          // A refused attempt has no effect.
          const wait = error instanceof CoreError ? error.retryAfterMs : 0;
          if (wait === 0 || attempt === MAX_ATTEMPTS) throw error;
          await sleep(wait);
        }
      }
    }
    const tokens = createTokens(issue);
    return withMetadata('authorization', async () => `Bearer ${await tokens.get()}`);
  };
}

/** An API key. */
export const apiKey =
  (key: string): Credential =>
  () =>
    withMetadata('x-api-key', () => key);

/** The access token that the function returns, which is called for each call: for the sessions of users. */
export const bearerToken =
  (get: () => string | Promise<string>): Credential =>
  () =>
    withMetadata('authorization', async () => `Bearer ${await get()}`);

function withMetadata(key: string, value: () => string | Promise<string>): ClientMiddleware {
  return async function* <Request, Response>(
    call: ClientMiddlewareCall<Request, Response>,
    options: CallOptions,
  ): AsyncGenerator<Awaited<Response>, Awaited<Response> | void, undefined> {
    const metadata = Metadata(options.metadata).set(key, await value());
    return yield* call.next(call.request, { ...options, metadata });
  };
}
