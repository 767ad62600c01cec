import {
  AuditServiceService,
  type ListAuditRecordsRequest,
} from '../../proto/gen/authservice/audit/v1/audit_service.ts';
import type { Command, Values } from '../command.ts';
import type { Core } from '../core/core.ts';
import { listCommand, userId } from './lists.ts';
import { auditRecord } from './records.ts';
import { printable } from '../terminal/terminal.ts';
import { timeText } from '../terminal/render.ts';

export const AUDIT_FILTERS = {
  '--event <event...>': 'only these events, such as login.failed',
  '--tenant <id>': 'only this tenant, for a SUPER_ADMIN',
  '--user <user>': 'only events about this user',
  '--actor <user>': 'only events caused by this user',
  '--address <address>': 'only events from this address or range, such as 192.0.2.0/24',
  '--session <id>': 'only events that this session caused',
  '--request <id>': 'only events of this request',
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
    rows: async (_core, records) => records.map(auditRow),
  }),
  {
    name: 'audit show',
    summary: 'show an audit record',
    arguments: { '<record>': 'the id of the record' },
    async run({ core, values }) {
      const { getAuditRecord } = (await core()).client(AuditServiceService);
      const { record } = await getAuditRecord({ auditRecordId: values.required('record') });
      return { value: auditRecord(record!) };
    },
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
    address: values.text('address'),
    sessionId: values.text('session'),
    requestId: values.text('request'),
  };
}

type Detail = string | number | boolean | readonly string[];

/** Returns the row of a record. */
export function auditRow({
  at,
  event,
  username,
  accountId,
  actorId,
  causedBy,
  clientAddress,
  tenantId,
  details,
}: ReturnType<typeof auditRecord>) {
  const { actor, reason, ...others } = details as Readonly<Record<string, Detail>>;
  const named = Object.entries(others).map(([name, value]) => `${name}=${value.toString()}`);
  return {
    time: at,
    event,
    subject: username ?? accountId,
    actor: causedBy?.username ?? actorId ?? actor?.toString(),
    address: clientAddress,
    // A reason needs no name.
    details: [...(reason === undefined ? [] : [reason.toString()]), ...named].join(' ') || undefined,
    tenant: tenantId,
  };
}

type AuditRow = ReturnType<typeof auditRow>;

/** Formats a row for `audit tail`. */
export function auditLine({ time, event, subject = '-', ...others }: AuditRow): string {
  const { details, ...named } = others;
  const fields = Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
  const when = time === undefined ? '-' : timeText(time);
  return `${printable([when, event, subject, ...fields, ...(details === undefined ? [] : [details])].join(' '))}\n`;
}
