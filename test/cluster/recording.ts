import type { Account } from '../../src/auth/access/account.ts';
import type { RestClient } from '../support/rest-client.ts';
import { runClient, type Recording } from './client.ts';

/** Runs a client for each account, and records their requests during the work. Each request goes to any of the services. */
export async function recordDuring(
  services: readonly { readonly rest: RestClient }[],
  accounts: readonly Account[],
  work: (recording: Recording) => Promise<void>,
): Promise<Recording> {
  const recording: Recording = { sessions: [], operations: [] };
  const over = new AbortController();
  const rest = services.map((service) => service.rest);
  const clients = accounts.map(({ username }) => runClient(rest, username, recording, over.signal));
  try {
    await Promise.race([work(recording), Promise.all(clients)]);
  } finally {
    over.abort();
    await Promise.all(clients);
  }
  return recording;
}

/** Returns the numbers of a recording, for the output. */
export function summaryOf({ sessions, operations }: Recording): string {
  const count = (outcome: string) => operations.filter((operation) => operation.outcome === outcome).length;
  return (
    `${sessions.length} sessions, ${operations.length} requests: ${count('accepted')} accepted, ` +
    `${count('refused')} refused, ${count('unavailable')} unavailable`
  );
}
