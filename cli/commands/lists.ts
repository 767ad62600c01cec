// Lists up to a limit, and records by the names that people know, where the RPCs need ids.
import type { PageInfo, PageRequest } from '../../proto/gen/authservice/paging/v1/paging.ts';
import type { Values } from '../command.ts';
import type { Result } from '../terminal/render.ts';
import { ClientCredentialsServiceService } from '../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { IdentityServiceService } from '../../proto/gen/authservice/identity/v1/identity_service.ts';
import type { Core } from '../core/core.ts';
import { CommandFailure } from '../failure.ts';

/** The option of every list. */
export const LIMIT_OPTION = { '--limit <number>': 'how many to show at most, 0 for all (default: 100)' };

const PAGE_SIZE = 100;

/** Reads the pages of a list up to the limit. */
export async function list<Item>(
  values: Values,
  columns: readonly string[],
  readPage: (page: PageRequest) => Promise<{ items: readonly Item[]; page?: PageInfo | undefined }>,
): Promise<Result & { readonly value: readonly Item[] }> {
  const limit = values.text('limit') === undefined ? PAGE_SIZE : values.count('limit') || Number.MAX_SAFE_INTEGER;
  const found: Item[] = [];
  let last: PageInfo | undefined;
  let isWhole = true;
  for await (const { items, page } of pages(readPage)) {
    found.push(...items);
    last = page;
    isWhole = found.length < limit;
    if (!isWhole) break;
  }
  const shown = found.slice(0, limit);
  const { total = found.length, totalIsMinimum = false } = last ?? {};
  const hasMore = totalIsMinimum ? !isWhole : shown.length < total;
  const count = totalIsMinimum ? `more than ${total}` : total;
  const note = hasMore ? `${shown.length} of ${count} shown; --limit 0 shows all` : undefined;
  return { value: shown, columns, ...(note !== undefined && { note }) };
}

/** Reads a list page by page, to its end. */
export async function* pages<Page extends { items: readonly unknown[]; page?: PageInfo | undefined }>(
  readPage: (page: PageRequest) => Promise<Page>,
): AsyncGenerator<Page> {
  let request: PageRequest = { page: 1, perPage: PAGE_SIZE };
  for (;;) {
    const read = await readPage(request);
    yield read;
    const next = read.page?.next;
    if (read.items.length < PAGE_SIZE || (next === undefined && request.after !== undefined)) return;
    request = { perPage: PAGE_SIZE, ...(next === undefined ? { page: request.page + 1 } : { page: 0, after: next }) };
  }
}

/** Removes items that a list returned twice, because new items moved them to a later page meanwhile. */
export function distinctById<Item extends { readonly id: string }>(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [item.id, item])).values()];
}

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
