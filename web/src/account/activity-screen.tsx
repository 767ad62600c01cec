import { listMyAuditRecords, type OwnAuditRecord } from '../../../client/src/operations.ts';
import { formatDateTime } from '../format.ts';
import { useList } from '../list.ts';
import { useService } from '../ui/frame.tsx';
import { ListView, type Column } from '../ui/list-view.tsx';
import { Name } from '../ui/name.tsx';
import { AccountScreen } from './account-screen.tsx';
import { detailTexts, describeDetails } from '../events/event-details.ts';
import { eventTexts } from '../events/event-texts.ts';
import { accountTexts } from './texts.ts';

/** What happened: the audit records of the account. */
export function ActivityScreen() {
  const { session } = useService();
  const texts = accountTexts();
  const list = useList([], ({ place }, signal) => listMyAuditRecords(session, { query: place }, { signal }));
  const columns: readonly Column<OwnAuditRecord>[] = [
    { title: texts.event, cell: (record) => <Event record={record} /> },
    { title: texts.at, cell: ({ at }) => formatDateTime(at) },
    { title: texts.address, cell: ({ clientAddress }) => <Name>{clientAddress}</Name> },
    { title: texts.details, cell: ({ details = {} }) => <Name>{describeDetails(details) || undefined}</Name> },
  ];
  return (
    <AccountScreen title={texts.activity}>
      <p class="quiet-text">{texts.activityText}</p>
      <ListView list={list} caption={texts.activity} columns={columns} keyOf={({ id }) => id} />
    </AccountScreen>
  );
}

function Event({ record: { event, actor, concernsYou } }: { readonly record: OwnAuditRecord }) {
  const texts = detailTexts();
  const names = eventTexts() as Readonly<Record<string, string>>;
  return (
    <>
      <Name>{names[event] ?? event}</Name>
      {actor === 'ADMINISTRATOR' && (
        <>
          {' '}
          <span class="badge">{texts.byAdministrator}</span>
        </>
      )}
      {!concernsYou && (
        <>
          {' '}
          <span class="badge">{texts.otherSubject}</span>
        </>
      )}
    </>
  );
}
