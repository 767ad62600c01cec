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
import { retryAfter } from './errors.ts';

const { CORE_CLIENT_ID = '', CORE_CLIENT_SECRET = '', CORE_SECONDS = '' } = process.env;

/**
 * Gets a token as a machine client and calls the core with it for CORE_SECONDS. The service config retries calls that the network
 * interrupts, so that the stop of one core fails no call.
 */
export async function machine(address: string): Promise<void> {
  const clients = new ClientCredentialsServiceClient(address, coreCredentials, coreOptions);
  const identity = new IdentityServiceClient(address, coreCredentials, coreOptions);
  const { token, attempts } = await issueToken(clients, CORE_CLIENT_ID, CORE_CLIENT_SECRET);
  console.log('token after attempts:', attempts);

  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${token}`);
  let calls = 0;
  const failures = new Map<string, number>();
  for (const end = Date.now() + Number(CORE_SECONDS) * 1_000; calls === 0 || Date.now() < end; calls += 1) {
    await answer((done) => identity.getMe({}, metadata, within(5_000), done)).catch(({ message }: Error) => {
      failures.set(message, (failures.get(message) ?? 0) + 1);
    });
    await sleep(1);
  }
  console.log('calls:', calls);
  console.log('failures:', failures.size);
  for (const [text, count] of failures) console.log(count, text);

  // Get the next token, as a client does before the first one expires.
  const next = await issueToken(clients, CORE_CLIENT_ID, CORE_CLIENT_SECRET);
  console.log('next token after attempts:', next.attempts);
  clients.close();
  identity.close();
}

// snippet:start machine

/**
 * Gets an access token for a machine client. If the core is busy, it waits as long as the core asks and tries again. A refused
 * attempt has no effect.
 */
async function issueToken(client: ClientCredentialsServiceClient, clientId: string, clientSecret: string) {
  const request = IssueTokenRequest.fromPartial({ grantType: 'client_credentials', clientId, clientSecret });
  for (let attempts = 1; ; attempts += 1) {
    try {
      const issued = await answer<IssueTokenResponse>((done) =>
        client.issueToken(request, new Metadata(), within(5_000), done),
      );
      return { token: issued.accessToken, attempts };
    } catch (error) {
      const wait = retryAfter(error);
      if (wait === 0 || attempts === 5) throw error;
      await sleep(wait);
    }
  }
}

// snippet:end
