// A machine client.
import { setTimeout as sleep } from 'node:timers/promises';
import { Metadata } from '@grpc/grpc-js';
import {
  ClientCredentialsServiceClient,
  IssueTokenRequest,
  type IssueTokenResponse,
} from '../gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { IdentityServiceClient } from '../gen/authservice/identity/v1/identity_service.ts';
import { answer, coreCredentials, coreOptions, within } from './core.ts';
import { isLost, retryAfter } from './errors.ts';
import { createTokens } from './tokens.ts';

const { CORE_CLIENT_ID = '', CORE_CLIENT_SECRET = '', CORE_SECONDS = '', CORE_CALLERS = '1' } = process.env;

/**
 * Gets an access token for a machine client. If the core is busy, it waits as long as the core asks and tries again. A refused
 * attempt has no effect.
 */
async function issueToken(client: ClientCredentialsServiceClient, clientId: string, clientSecret: string) {
  const request = IssueTokenRequest.fromPartial({ grantType: 'client_credentials', clientId, clientSecret });
  for (let attempts = 1; ; attempts += 1) {
    try {
      const { accessToken, expiresIn } = await answer<IssueTokenResponse>((done) =>
        client.issueToken(request, new Metadata(), within(5_000), done),
      );
      return { token: accessToken, lifetimeSeconds: expiresIn, attempts };
    } catch (error) {
      const wait = retryAfter(error);
      if (wait === 0 || attempts === 5) throw error;
      await sleep(wait);
    }
  }
}

/**
 * Calls the core as a machine client for CORE_SECONDS, with CORE_CALLERS callers that share one token. The stop of one core
 * fails no call: the service config retries calls without a response, and getMe those whose response had begun.
 */
export async function machine(address: string): Promise<void> {
  const clients = new ClientCredentialsServiceClient(address, coreCredentials, coreOptions);
  const identity = new IdentityServiceClient(address, coreCredentials, coreOptions);
  let attempts = 0;
  const tokens = createTokens(async () => {
    const issued = await issueToken(clients, CORE_CLIENT_ID, CORE_CLIENT_SECRET);
    ({ attempts } = issued);
    return issued;
  });
  await tokens.get();
  console.log('token after attempts:', attempts);

  const getMeOnce = (metadata: Metadata) => answer((done) => identity.getMe({}, metadata, within(5_000), done));
  const getMe = (metadata: Metadata) =>
    getMeOnce(metadata).catch((error: unknown) => {
      if (isLost(error)) return getMeOnce(metadata);
      throw error;
    });
  let calls = 0;
  const failures = new Map<string, number>();
  const end = Date.now() + Number(CORE_SECONDS) * 1_000;
  const call = async () => {
    do {
      const metadata = await tokens.metadata();
      await getMe(metadata).catch(({ message }: Error) => {
        failures.set(message, (failures.get(message) ?? 0) + 1);
      });
      calls += 1;
      await sleep(1);
    } while (Date.now() < end);
  };
  await Promise.all(Array.from({ length: Number(CORE_CALLERS) }, call));
  console.log('calls:', calls);
  console.log('failures:', failures.size);
  for (const [text, count] of failures) console.log(count, text);

  await tokens.renewOnce();
  console.log('next token after attempts:', attempts);
  clients.close();
  identity.close();
}
