// The audit records: a list with filters, live or by pages, and the details of one.
import { useState } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';
import { listAuditRecords, type AuditRecord } from '../../../../client/src/operations.ts';
import { formatExact, formatMoment } from '../../format.ts';
import { AUDIT_EVENTS } from '../../generated/audit-events.ts';
import { useList } from '../../list.ts';
import { FilterChoice } from '../../ui/filter-choice.tsx';
import { FilterField } from '../../ui/filter-field.tsx';
import { useService } from '../../ui/frame.tsx';
import { ListView } from '../../ui/list-view.tsx';
import { Name } from '../../ui/name.tsx';
import type { Column } from '../../ui/table.tsx';
import { ConsoleFrame } from '../console-frame.tsx';
import { useConsole } from '../context.ts';
import { AuditDetail } from './audit-detail.tsx';
import { LiveList } from './live-list.tsx';
import { Seals } from './seals.tsx';
import { auditTexts } from './texts.ts';

const FILTERS = ['event', 'accountId', 'actorId', 'from', 'until'] as const;
/** Characters of an id, with a copied blank. */
const MAX_ID = 40;

type Values = { readonly [Name in (typeof FILTERS)[number]]?: string };

const toQuery = ({ event, accountId, actorId, from, until }: Values, tenantId: string | undefined) => ({
  tenantId,
  events: event === undefined ? [] : [event],
  accountId,
  actorId,
  from,
  until,
});

export default function Audit() {
  const { session } = useService();
  const { tenantId } = useConsole();
  const [shown, setShown] = useState<AuditRecord>();
  const [search, setSearch] = useSearchParams();
  const list = useList(
    FILTERS,
    ({ place, ...values }, signal) =>
      listAuditRecords(session, { query: { ...place, ...toQuery(values, tenantId) } }, { signal }),
    [tenantId],
  );
  // A link to another page is not live.
  const isLive = search.get('live') === 'true' && list.page === 1 && !search.has('after');
  const setLive = (wanted: boolean) =>
    setSearch((current) => {
      for (const name of ['live', 'page', 'after']) current.delete(name);
      if (wanted) current.set('live', 'true');
      return current;
    });
  const texts = auditTexts();
  const columns: readonly Column<AuditRecord>[] = [
    {
      title: texts.time,
      cell: (record) => (
        <button
          class="link"
          aria-label={texts.open(record.event, formatMoment(record.at))}
          onClick={() => setShown(record)}
        >
          <time dateTime={record.at} title={formatExact(record.at)}>
            {formatMoment(record.at)}
          </time>
        </button>
      ),
    },
    { title: texts.event, cell: ({ event }) => <code>{event}</code> },
    { title: texts.username, cell: ({ username }) => <Name>{username}</Name> },
    { title: texts.address, cell: ({ clientAddress }) => clientAddress },
    ...(tenantId === undefined
      ? [{ title: texts.tenant, cell: ({ tenantId: id }: AuditRecord) => (id ? <code>{id}</code> : '–') }]
      : []),
  ];
  const { values } = list;
  return (
    <ConsoleFrame
      title={texts.title}
      actions={
        <button class="live" aria-pressed={isLive} onClick={() => setLive(!isLive)}>
          {texts.live}
        </button>
      }
    >
      <div class="filters many">
        <FilterChoice
          label={texts.event}
          value={values.event}
          options={AUDIT_EVENTS.map((event) => [event, event])}
          onChoose={(event) => list.filter({ event })}
        />
        <FilterField
          label={texts.accountId}
          value={values.accountId}
          maxLength={MAX_ID}
          isSearch
          onChoose={(accountId) => list.filter({ accountId })}
        />
        <FilterField
          label={texts.actorId}
          value={values.actorId}
          maxLength={MAX_ID}
          onChoose={(actorId) => list.filter({ actorId })}
        />
        <FilterField label={texts.from} value={values.from} type="date" onChoose={(from) => list.filter({ from })} />
        <FilterField
          label={texts.until}
          value={values.until}
          type="date"
          onChoose={(until) => list.filter({ until })}
        />
      </div>
      <Seals />
      {isLive ? (
        <LiveList
          query={list.query}
          filters={toQuery(values, tenantId)}
          columns={columns}
          isReading={shown !== undefined}
        />
      ) : (
        <ListView
          list={list}
          caption={texts.title}
          columns={columns}
          keyOf={({ id }) => id}
          empty={<p>{texts.empty}</p>}
        />
      )}
      {shown && <AuditDetail record={shown} filter={list.filter} onClose={() => setShown(undefined)} />}
    </ConsoleFrame>
  );
}
