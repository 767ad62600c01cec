// Creates users and machine clients over REST.
import { logIn, type Party } from './party.ts';
import { emailOf, randomText, type PartialRecords } from './records.ts';
import { request, type StepResult } from './step.ts';

/** Creates a user with a session. */
export async function makeUser(party: Party, { mark }: PartialRecords): Promise<StepResult> {
  const username = emailOf(mark!);
  const password = randomText(40);
  const { id } = await request(party, 'POST', '/users', { username, password, name: mark, roles: ['SALES'] });
  await logIn(party.target, username, password);
  const [session] = await request(party, 'GET', `/users/${id}/sessions`);
  return {
    records: { user: id, session: session.id },
    async undo() {
      await request(party, 'DELETE', `/users/${id}`);
      return undefined;
    },
  };
}

/** Creates a service account with a client secret and an API key. Service accounts cannot be deleted, only disabled. */
export async function makeClient(party: Party, { mark }: PartialRecords): Promise<StepResult> {
  const fields = { clientId: mark, name: mark, roles: ['SALES'] };
  const { serviceAccount } = await request(party, 'POST', '/service-accounts', fields);
  const { id, secrets } = serviceAccount;
  const key = await request(party, 'POST', `/service-accounts/${id}/api-keys`, { label: 'Isolation' });
  return {
    records: { serviceAccount: id, secret: secrets[0].id, key: key.keyId },
    async undo() {
      await request(party, 'POST', `/service-accounts/${id}/disable`);
      return `service account ${mark} (disabled)`;
    },
  };
}
