// Records by the names that people know, where the RPCs need ids.
import { ClientCredentialsServiceService } from '../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { IdentityServiceService } from '../../proto/gen/authservice/identity/v1/identity_service.ts';
import type { Core } from '../core/core.ts';
import { CommandFailure } from '../failure.ts';
import { pages } from './lists.ts';

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Returns the id of the user with this username or id. */
export async function userId(core: Core, name: string): Promise<string> {
  if (UUID.test(name)) return name;
  const { listUsers } = core.client(IdentityServiceService);
  return findId(name, 'user', async (page, query) => {
    const { users } = await listUsers({ page, query });
    return { items: users.map(({ account }) => ({ id: account!.id, name: account!.username })) };
  });
}

/** Returns the id of the service account with this client id or id. */
export async function serviceAccountId(core: Core, name: string): Promise<string> {
  if (UUID.test(name)) return name;
  const { listServiceAccounts } = core.client(ClientCredentialsServiceService);
  return findId(name, 'service account', async (page, query) => {
    const { serviceAccounts } = await listServiceAccounts({ page, query });
    return { items: serviceAccounts.map(({ id, clientId }) => ({ id, name: clientId })) };
  });
}

type Named = { readonly id: string; readonly name: string };

async function findId(
  name: string,
  kind: string,
  readPage: (page: { page: number; perPage: number }, query: string) => Promise<{ items: Named[] }>,
): Promise<string> {
  const wanted = name.trim().normalize('NFC').toLowerCase();
  for await (const { items } of pages((page) => readPage(page, wanted))) {
    const found = items.find((item) => item.name === wanted);
    if (found) return found.id;
  }
  throw new CommandFailure(`no ${kind} ${JSON.stringify(name)} in reach of this credential`);
}
