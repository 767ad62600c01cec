// The audit records: a list with filters, live or by pages, one of them, and all of a filter as a file.
import { useState } from 'preact/hooks';
import { Route, Switch, useSearchParams } from 'wouter-preact';
import { listAuditRecords, type AuditRecord } from '../../../../client/src/operations.ts';
import { formatExact, formatMoment } from '../../format.ts';
import { AUDIT_EVENTS } from '../../generated/audit-events.ts';
import { useList } from '../../list.ts';
import { FilterChoice } from '../../ui/filter-choice.tsx';
import { FilterField } from '../../ui/filter-field.tsx';
import { useService } from '../../ui/frame.tsx';
import { ListView } from '../../ui/list-view.tsx';
import type { Column } from '../../ui/table.tsx';
import { ConsoleFrame } from '../console-frame.tsx';
import { useConsole } from '../context.ts';
import { lazyDialog, lazyPart, lazyScreen } from '../lazy.tsx';
import { TenantName } from '../tenant-name.tsx';
import { otherColumns, textOfEvent } from './columns.tsx';
import { Export } from './export.tsx';
import { Seals } from './seals.tsx';
import { auditTexts } from './texts.ts';

const LiveList = lazyPart(async () => (await import('./live-list.tsx')).LiveList);
const RecordDialog = lazyDialog(async () => (await import('./record-dialog.tsx')).RecordDialog);
const RecordPage = lazyScreen(
  () => auditTexts().record,
  async () => (await import('./record-page.tsx')).RecordPage,
);

export default function Audit() {
  return (
    <Switch>
      <Route path="/audit">
        <AuditList />
      </Route>
      <Route path="/audit/:id">{({ id }) => <RecordPage key={id} id={id} />}</Route>
    </Switch>
  );
}

/** The typed filters in their order, and the characters of each. */
const TYPED = { account: 254, causedBy: 254, address: 64, sessionId: 40, requestId: 64 } as const;
const DAYS = ['from', 'until'] as const;
const FILTERS = ['event', ...(Object.keys(TYPED) as (keyof typeof TYPED)[]), ...DAYS] as const;

type Values = { readonly [Name in (typeof FILTERS)[number]]?: string };

const toQuery = ({ event, ...others }: Values, tenantId: string | undefined) => ({
  tenantId,
  events: event === undefined ? [] : [event],
  ...others,
});

function AuditList() {
  const { session } = useService();
  const { tenantId } = useConsole();
  const [shown, setShown] = useState<AuditRecord>();
  const [search, setSearch] = useSearchParams();
  const list = useList(
    FILTERS,
    ({ place, q: _q, ...values }, signal) =>
      listAuditRecords(session, { query: { ...place, ...toQuery(values as Values, tenantId) } }, { signal }),
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
          aria-label={texts.open(textOfEvent(record.event), formatMoment(record.at))}
          onClick={() => setShown(record)}
        >
          <time dateTime={record.at} title={formatExact(record.at)}>
            {formatMoment(record.at)}
          </time>
        </button>
      ),
    },
    ...otherColumns(),
    ...(tenantId === undefined
      ? [{ title: texts.tenant, cell: ({ tenantId: id }: AuditRecord) => <TenantName id={id} /> }]
      : []),
  ];
  const { q: _q, ...given } = list.values;
  const values: Values = given;
  const filters = toQuery(values, tenantId);
  const described = FILTERS.flatMap((name) => (values[name] ? [[texts[name], values[name]] as const] : []));
  return (
    <ConsoleFrame
      title={texts.title}
      actions={
        <>
          <Export label={texts.export} filters={filters} description={described} />
          <button class="live" aria-pressed={isLive} onClick={() => setLive(!isLive)}>
            {texts.live}
          </button>
        </>
      }
    >
      <div class="filters many">
        <FilterChoice
          label={texts.event}
          value={values.event}
          options={AUDIT_EVENTS.map((event) => [event, textOfEvent(event)] as const).toSorted(([, one], [, other]) =>
            one.localeCompare(other),
          )}
          onChoose={(event) => list.filter({ event })}
        />
        {(Object.keys(TYPED) as (keyof typeof TYPED)[]).map((name) => (
          <FilterField
            key={name}
            label={texts[name]}
            value={values[name]}
            maxLength={TYPED[name]}
            isSearch={name === 'account'}
            onChoose={(value) => list.filter({ [name]: value })}
          />
        ))}
        {DAYS.map((name) => (
          <FilterField
            key={name}
            label={texts[name]}
            value={values[name]}
            type="date"
            onChoose={(value) => list.filter({ [name]: value })}
          />
        ))}
      </div>
      <Seals />
      {isLive ? (
        <LiveList query={list.query} filters={filters} columns={columns} isReading={shown !== undefined} />
      ) : (
        <ListView
          list={list}
          caption={texts.title}
          columns={columns}
          keyOf={({ id }) => id}
          empty={<p>{texts.empty}</p>}
        />
      )}
      {shown && <RecordDialog key={shown.id} record={shown} onClose={() => setShown(undefined)} />}
    </ConsoleFrame>
  );
}
