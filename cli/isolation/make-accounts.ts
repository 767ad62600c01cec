// Users and machine clients, which are administered by RPC only.
import { ApiKeyServiceService } from '../../proto/gen/authservice/apikey/v1/api_key_service.ts';
import { ClientCredentialsServiceService } from '../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { IdentityServiceService } from '../../proto/gen/authservice/identity/v1/identity_service.ts';
import { SessionServiceService } from '../../proto/gen/authservice/session/v1/session_service.ts';
import { logIn, type Party } from './party.ts';
import { emailOf, randomText, type Known } from './records.ts';
import { call, type Made } from './step.ts';

/** A user with an open session. */
export async function makeUser(party: Party, { mark }: Known): Promise<Made> {
  const username = emailOf(mark!);
  const password = randomText(40);
  const { user } = await call(party, IdentityServiceService, (identity) =>
    identity.createUser({ username, password, name: mark!, roles: ['SALES'] }, party.as),
  );
  const id = user!.account!.id;
  await logIn(party.target, username, password);
  const { sessions } = await call(party, SessionServiceService, (session) =>
    session.listUserSessions({ userId: id }, party.as),
  );
  return {
    records: { user: id, session: sessions[0]!.id },
    async undo() {
      await call(party, IdentityServiceService, (identity) => identity.deleteUser({ userId: id }, party.as));
      return undefined;
    },
  };
}

/** A service account with a secret and an API key. There is no way to delete one. */
export async function makeClient(party: Party, { mark }: Known): Promise<Made> {
  const { serviceAccount } = await call(party, ClientCredentialsServiceService, (clients) =>
    clients.createServiceAccount({ clientId: mark!, name: mark!, roles: ['SALES'] }, party.as),
  );
  const id = serviceAccount!.id;
  const { key } = await call(party, ApiKeyServiceService, (keys) =>
    keys.issueApiKey({ serviceAccountId: id, label: 'Isolation' }, party.as),
  );
  return {
    records: { serviceAccount: id, secret: serviceAccount!.secrets[0]!.id, key: key!.keyId },
    async undo() {
      await call(party, ClientCredentialsServiceService, (clients) =>
        clients.disableServiceAccount({ serviceAccountId: id }, party.as),
      );
      return `service account ${mark} (disabled)`;
    },
  };
}
