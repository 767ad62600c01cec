import {
  AuditServiceService,
  type ListAuditRecordsRequest,
} from '../../proto/gen/authservice/audit/v1/audit_service.ts';
import type { Command, Values } from '../command.ts';
import type { Core } from '../core/core.ts';
import { listCommand, userId } from './lists.ts';
import { auditRecord } from './records.ts';
import { ClientCredentialsServiceService } from '../../proto/gen/authservice/clientcredentials/v1/client_credentials_service.ts';
import { IdentityServiceService } from '../../proto/gen/authservice/identity/v1/identity_service.ts';
import { RpcError } from '../../src/platform/rpc/errors/rpc-error.ts';
import { printable } from '../terminal/terminal.ts';
import { timeText } from '../terminal/render.ts';

export const AUDIT_FILTERS = {
  '--event <event...>': 'only these events, such as login.failed',
  '--tenant <id>': 'only this tenant, for a SUPER_ADMIN',
  '--user <user>': 'only events about this user',
  '--actor <user>': 'only events caused by this user',
};

const AUDIT_COLUMNS = ['time', 'event', 'subject', 'actor', 'address', 'details', 'tenant'] as const;

export const AUDIT_COMMANDS: readonly Command[] = [
  listCommand({
    name: 'audit list',
    summary: 'list audit records, newest first',
    options: {
      ...AUDIT_FILTERS,
      '--from <time>': 'only records from this time on: ISO 8601',
      '--until <time>': 'only records before this time',
    },
    columns: AUDIT_COLUMNS,
    async read(core, values) {
      const filter = { ...(await auditFilterOf(values, core)), from: values.time('from'), until: values.time('until') };
      return (page) => core.client(AuditServiceService).listAuditRecords({ ...filter, page });
    },
    items: ({ records }) => records.map(auditRecord),
    rows: (core, records) => Promise.all(records.map(createAuditRows(core))),
  }),
];

type Filter = Omit<ListAuditRecordsRequest, 'page' | 'from' | 'until'>;

export async function auditFilterOf(values: Values, core: Core): Promise<Filter> {
  const [user, actor] = [values.text('user'), values.text('actor')];
  return {
    events: values.list('event'),
    tenantId: values.text('tenant'),
    accountId: user === undefined ? undefined : await userId(core, user),
    actorId: actor === undefined ? undefined : await userId(core, actor),
  };
}

/** Creates a function that shows records. It asks the core once for the name of each actor, and again after a failure. */
export function createAuditRows(core: Core) {
  const names = new Map<string, Promise<string>>();
  const nameOf = (id: string): Promise<string> => {
    const orId = () => {
      names.delete(id);
      return id;
    };
    const known = names.get(id) ?? findName(core, id).catch(orId);
    names.set(id, known);
    return known;
  };
  return async ({
    at,
    event,
    username,
    accountId,
    actorId,
    clientAddress,
    tenantId,
    details,
  }: ReturnType<typeof auditRecord>) => {
    const { actor, reason, ...others } = details as Readonly<Record<string, string | number>>;
    const named = Object.entries(others).map(([name, value]) => `${name}=${value}`);
    return {
      time: at,
      event,
      subject: username ?? accountId,
      actor: actorId === undefined ? actor?.toString() : await nameOf(actorId),
      address: clientAddress,
      // The reason of a refusal needs no name.
      details: [...(reason === undefined ? [] : [reason]), ...named].join(' ') || undefined,
      tenant: tenantId,
    };
  };
}

type AuditRow = Awaited<ReturnType<ReturnType<typeof createAuditRows>>>;

/** Formats a row for `audit tail`. */
export function auditLine({ time, event, subject = '-', ...others }: AuditRow): string {
  const { details, ...named } = others;
  const fields = Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
  const when = time === undefined ? '-' : timeText(time);
  return `${printable([when, event, subject, ...fields, ...(details === undefined ? [] : [details])].join(' '))}\n`;
}

/** The username or client id of an account. The id if the account is deleted or in another tenant. */
async function findName(core: Core, id: string): Promise<string> {
  const { getUser } = core.client(IdentityServiceService);
  const { getServiceAccount } = core.client(ClientCredentialsServiceService);
  const found = await getUser({ userId: id }).catch(ignoreRefusal);
  if (found) return found.user!.account!.username;
  const client = await getServiceAccount({ serviceAccountId: id }).catch(ignoreRefusal);
  return client?.serviceAccount!.clientId ?? id;
}

function ignoreRefusal(error: unknown): undefined {
  if (!(error instanceof RpcError)) throw error;
}
