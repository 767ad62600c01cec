// Machine clients: the client-credentials grant (RFC 6749 section 4.4).
import { isUsable, readGrant, type Grant } from './access-token.ts';
import { readError, type ApiError } from './api-error.ts';
import { createAuthorizedFetch } from './authorized-fetch.ts';
import { createBackoff } from './backoff.ts';
import { createSend, type Caller, type CallerOptions } from './caller.ts';
import { AUTH } from './profile.ts';
import { orAborted } from './timers.ts';

export interface ClientCredentialsOptions extends CallerOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Client authentication. Default: `basic`. */
  readonly authentication?: 'basic' | 'form' | 'json';
}

export interface MachineClient extends Caller {
  /** Returns a valid access token, for code that cannot use `fetch`. */
  accessToken(): Promise<string>;
}

type Request = Pick<RequestInit, 'body' | 'headers'>;

const GRANT_TYPE = { grant_type: 'client_credentials' };

/** The request for each kind of client authentication. */
const REQUESTS: Readonly<Record<'basic' | 'form' | 'json', (id: string, secret: string) => Request>> = {
  basic: (id, secret) => ({
    body: new URLSearchParams(GRANT_TYPE),
    headers: { authorization: `Basic ${btoa(`${formEncode(id)}:${formEncode(secret)}`)}` },
  }),
  form: (id, secret) => ({ body: new URLSearchParams({ ...GRANT_TYPE, client_id: id, client_secret: secret }) }),
  json: (id, secret) => ({
    body: JSON.stringify({ ...GRANT_TYPE, client_id: id, client_secret: secret }),
    headers: { 'content-type': 'application/json' },
  }),
};

/** Form encoding of both parts of Basic (RFC 6749 section 2.3.1). */
const formEncode = (value: string): string => new URLSearchParams({ '': value }).toString().slice(1);

/** The share of a token's lifetime after which the next one is fetched in the background. */
const REFRESH_AFTER = 0.8;

/** Calls the service as a machine client. All calls share one token. The next one is fetched before it expires. */
export function createMachineClient(options: ClientCredentialsOptions): MachineClient {
  const { clientId, clientSecret, authentication = 'basic' } = options;
  const send = createSend(options);
  const backoff = createBackoff();
  let grant: Grant | undefined;
  let fetching: Promise<Grant> | undefined;

  async function fetchGrant(): Promise<Grant> {
    const response = await send(`${AUTH}/token`, {
      method: 'POST',
      cache: 'no-store',
      ...REQUESTS[authentication](clientId, clientSecret),
    });
    if (!response.ok) throw await readError(response);
    const { access_token: accessToken, expires_in: expiresIn } = (await response.json()) as {
      access_token: string;
      expires_in: number;
    };
    return readGrant(accessToken, expiresIn);
  }

  function renew(): Promise<Grant> {
    const failure = backoff.failure();
    if (failure) return Promise.reject(failure);
    fetching ??= fetchGrant()
      .then(
        (next) => {
          backoff.reset();
          return (grant = next);
        },
        (error: ApiError) => {
          backoff.failed(error);
          throw error;
        },
      )
      .finally(() => {
        fetching = undefined;
      });
    return fetching;
  }

  async function token(rejected?: string, signal?: AbortSignal | null): Promise<string> {
    if (!grant || grant.accessToken === rejected || !isUsable(grant))
      return (await orAborted(renew(), signal)).accessToken;
    if (grant.expiresAt - Date.now() < grant.lifetimeMs * (1 - REFRESH_AFTER)) renew().catch(() => undefined);
    return grant.accessToken;
  }

  return { fetch: createAuthorizedFetch(send, token), accessToken: () => token() };
}
