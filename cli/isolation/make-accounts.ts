// Users and machine clients, made over REST.
import { logIn, type Party } from './party.ts';
import { emailOf, randomText, type Known } from './records.ts';
import { request, type Made } from './step.ts';

/** A user with an open session. */
export async function makeUser(party: Party, { mark }: Known): Promise<Made> {
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

/** A service account with a secret and an API key. There is no way to delete one. */
export async function makeClient(party: Party, { mark }: Known): Promise<Made> {
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
