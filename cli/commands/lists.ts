// Lists up to a limit, and records by the names that people know, where the RPCs need ids.
import type { PageInfo, PageRequest } from '../../proto/gen/authservice/paging/v1/paging.ts';
import type { Command, Values } from '../command.ts';
import type { Result } from '../terminal/render.ts';
import { ClientCredentialsServiceService } from '../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { ApplicationServiceService } from '../../proto/gen/authservice/oauth/v1/application_service.ts';
import { IdentityServiceService } from '../../proto/gen/authservice/identity/v1/identity_service.ts';
import type { Core } from '../core/core.ts';
import { CommandFailure } from '../failure.ts';

const PAGE_SIZE = 100;

/** A list of the core. */
interface List<Response extends Paged, Item> {
  /** Reads one page. */
  readonly read: (page: PageRequest) => Promise<Response>;
  readonly items: (response: Response) => readonly Item[];
}

interface Paged {
  readonly page?: PageInfo | undefined;
}

/** A command that lists items up to a limit. */
interface ListCommand<Response extends Paged, Item> extends Omit<Command, 'run'>, Pick<List<Response, Item>, 'items'> {
  readonly columns: readonly string[];
  /** Returns how to read one page. */
  readonly read: (core: Core, values: Values) => List<Response, Item>['read'] | Promise<List<Response, Item>['read']>;
  /** The rows that a person sees. Default: the items. */
  readonly rows?: (core: Core, items: readonly Item[]) => Promise<NonNullable<Result['rows']>>;
}

export function listCommand<Response extends Paged, Item>(declared: ListCommand<Response, Item>): Command {
  const { columns, read, items, rows, ...command } = declared;
  return {
    ...command,
    options: { ...command.options, '--limit <number>': 'how many to show at most, 0 for all (default: 100)' },
    async run({ core, values, json }) {
      const opened = await core();
      const listed = await readUpTo(values, { read: await read(opened, values), items });
      return { ...listed, columns, ...(rows && !json && { rows: await rows(opened, listed.value) }) };
    },
  };
}

/** Reads the pages of a list up to the limit. */
async function readUpTo<Response extends Paged, Item>(values: Values, list: List<Response, Item>) {
  const limit = values.count('limit', PAGE_SIZE) || Number.MAX_SAFE_INTEGER;
  const found: Item[] = [];
  let last: PageInfo | undefined;
  let isWhole = true;
  for await (const { items, page } of pages(list)) {
    found.push(...items);
    last = page;
    isWhole = found.length < limit;
    if (!isWhole) break;
  }
  const shown = found.slice(0, limit);
  const { total = found.length, totalIsMinimum = false } = last ?? {};
  const hasMore = totalIsMinimum ? !isWhole : shown.length < total;
  const count = totalIsMinimum ? `more than ${total}` : total;
  return { value: shown, ...(hasMore && { note: `${shown.length} of ${count} shown; --limit 0 shows all` }) };
}

/** Reads a list page by page, to its end. */
async function* pages<Response extends Paged, Item>({ read, items: itemsOf }: List<Response, Item>) {
  let request: PageRequest = { page: 1, perPage: PAGE_SIZE };
  for (;;) {
    const response = await read(request);
    const items = itemsOf(response);
    yield { items, page: response.page };
    const next = response.page?.next;
    if (items.length < PAGE_SIZE || (next === undefined && request.after !== undefined)) return;
    request = { perPage: PAGE_SIZE, ...(next === undefined ? { page: request.page + 1 } : { page: 0, after: next }) };
  }
}

/** Reads a whole list. Items that it returns twice, because new items moved them to a later page meanwhile, count once. */
export async function readAll<Response extends Paged, Item extends { readonly id: string }>(
  read: List<Response, Item>['read'],
  itemsOf: List<Response, Item>['items'],
): Promise<Item[]> {
  const found = new Map<string, Item>();
  for await (const { items } of pages({ read, items: itemsOf })) for (const item of items) found.set(item.id, item);
  return [...found.values()];
}

/** The option that chooses the language of a mail. */
export const LANGUAGE = {
  '--language <language>': 'of the mail: en or de (default: that of the policy of the tenant)',
};

/** The option of an act whose audit record can say why. */
export const REASON = { '--reason <text>': 'why, for the audit record' };

/** The argument that names a service account. */
export const CLIENT = { '<client>': 'the client id or the id of the service account' };

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Returns the id of the user with this username or id. */
export function userId(core: Core, name: string): Promise<string> {
  const { listUsers } = core.client(IdentityServiceService);
  const read = (query: string) => (page: PageRequest) => listUsers({ page, query });
  return findId(name, 'user', read, ({ users }) =>
    users.map(({ account }) => ({ id: account!.id, name: account!.username })),
  );
}

/** Returns the id of the service account with this client id or id. */
export function serviceAccountId(core: Core, name: string): Promise<string> {
  const { listServiceAccounts } = core.client(ClientCredentialsServiceService);
  const read = (query: string) => (page: PageRequest) => listServiceAccounts({ page, query });
  return findId(name, 'service account', read, ({ serviceAccounts }) =>
    serviceAccounts.map(({ id, clientId }) => ({ id, name: clientId })),
  );
}

/** Returns the id of the application with this client id or id. */
export function applicationId(core: Core, name: string): Promise<string> {
  const { listApplications } = core.client(ApplicationServiceService);
  const read = (query: string) => (page: PageRequest) => listApplications({ page, query });
  return findId(name, 'application', read, ({ applications }) =>
    applications.map(({ id, clientId }) => ({ id, name: clientId.toLowerCase() })),
  );
}

async function findId<Response extends Paged>(
  name: string,
  kind: string,
  read: (query: string) => List<Response, unknown>['read'],
  items: (response: Response) => readonly { readonly id: string; readonly name: string }[],
): Promise<string> {
  if (UUID.test(name)) return name;
  const wanted = name.trim().normalize('NFC').toLowerCase();
  for await (const page of pages({ read: read(wanted), items })) {
    const found = page.items.find((item) => item.name === wanted);
    if (found) return found.id;
  }
  throw new CommandFailure(`no ${kind} ${JSON.stringify(name)} in reach of this credential`);
}

/** Returns the work of a command on the service account of its argument. */
export function onServiceAccount(
  work: (core: Core, serviceAccountId: string, values: Values) => Promise<Result>,
): Command['run'] {
  return async ({ core, values }) => {
    const opened = await core();
    return work(opened, await serviceAccountId(opened, values.required('client')), values);
  };
}
