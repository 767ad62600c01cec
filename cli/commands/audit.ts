import { setTimeout as sleep } from 'node:timers/promises';
import {
  TenancyServiceService,
  type AuditRecord,
  type ListAuditRecordsRequest,
} from '../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import type { Command, Input, Values } from '../command.ts';
import type { Core } from '../core/core.ts';
import { EXIT } from '../failure.ts';
import { listCommand, readAll, userId } from './lists.ts';
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
      return (page) => core.client(TenancyServiceService).listAuditRecords({ ...filter, page });
    },
    items: ({ records }) => records.map(auditRecord),
    rows: (core, records) => Promise.all(records.map(createAuditRows(core))),
  }),
  {
    name: 'audit tail',
    summary: 'print audit records as they occur, until Ctrl-C',
    options: {
      ...AUDIT_FILTERS,
      '--for <duration>': 'end after this time',
      '--poll <duration>': 'how often to ask (default: 2s)',
    },
    run: tail,
  },
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

const POLL_MS = 2_000;
// Clocks of processes may differ by 5 s, and a record becomes visible only when its transaction has been committed.
const OVERLAP_MS = 15_000;

async function tail({ values, core, terminal, json }: Input): Promise<number> {
  const opened = await core();
  const filter = await auditFilterOf(values, opened);
  const toRow = createAuditRows(opened);
  const lineOf = async (record: AuditRecord) => {
    const value = auditRecord(record);
    return json ? `${JSON.stringify(value)}\n` : auditLine(await toRow(value));
  };
  const pollMs = values.duration('poll', POLL_MS);
  const endsAt = Date.now() + values.duration('for', Number.POSITIVE_INFINITY);
  let readAt = Date.now();
  let seen = new Set((await readSince(opened, filter, new Date(readAt - OVERLAP_MS))).map(({ id }) => id));
  terminal.error('following the audit trail, Ctrl-C ends\n');
  while (!terminal.signal.aborted && Date.now() < endsAt) {
    await sleep(pollMs, undefined, { signal: terminal.signal }).catch(() => undefined);
    if (terminal.signal.aborted) break;
    // From the time of the last read, because a process can be suspended for longer than a poll.
    const from = new Date(readAt - OVERLAP_MS);
    readAt = Date.now();
    const records = await readSince(opened, filter, from);
    for (const record of records.filter(({ id }) => !seen.has(id)).toReversed()) terminal.out(await lineOf(record));
    seen = new Set(records.map(({ id }) => id));
  }
  return EXIT.done;
}

/** Returns all records from a time on, newest first. */
function readSince(core: Core, filter: Filter, from: Date): Promise<AuditRecord[]> {
  const { listAuditRecords } = core.client(TenancyServiceService);
  return readAll(
    (page) => listAuditRecords({ ...filter, from, until: undefined, page }),
    ({ records }) => records,
  );
}

/** Creates a function that shows records. It asks the core once for the name of each actor. */
export function createAuditRows(core: Core) {
  const names = new Map<string, Promise<string>>();
  const nameOf = (id: string): Promise<string> => {
    const known = names.get(id) ?? findName(core, id);
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
