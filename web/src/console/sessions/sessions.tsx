// The open sessions of a tenant: a list, and one of them.
import { Route, Switch } from 'wouter-preact';
import { listSessions, type Session } from '../../../../client/src/operations.ts';
import { Name } from '../../ui/name.tsx';
import type { Column } from '../../ui/table.tsx';
import { useConsole } from '../context.ts';
import { nameColumn, ResourceList } from '../resource-list.tsx';
import { TenantName } from '../tenant-name.tsx';
import { browserColumn, sessionColumns } from './columns.tsx';
import { findUserId } from './find-user-id.ts';
import { lazyScreen } from '../lazy.tsx';
import { sessionTexts } from './texts.ts';

const SessionDetail = lazyScreen(
  () => sessionTexts().session,
  async () => (await import('./session-detail.tsx')).SessionDetail,
);

export default function Sessions() {
  return (
    <Switch>
      <Route path="/sessions">
        <SessionList />
      </Route>
      <Route path="/sessions/:id">{({ id }) => <SessionDetail key={id} id={id} />}</Route>
    </Switch>
  );
}

function SessionList() {
  const { choosesTenant, holds, tenantId, canOpen, linkTo } = useConsole();
  const texts = sessionTexts();
  const showsUsers = canOpen('/users');
  const user: Column<Session> = showsUsers
    ? nameColumn(texts.user, linkTo, ({ accountId, username }) => ({ path: `/users/${accountId}`, name: username }))
    : { title: texts.user, cell: ({ username }) => <Name>{username}</Name> };
  const tenant = { title: texts.tenant, cell: ({ tenantId: own }: Session) => <TenantName id={own} /> };
  return (
    <ResourceList
      title={texts.title}
      intro={texts.intro}
      load={async (session, { user: text, address, userAgent, place, tenantId: of }, signal) => {
        const userId = text && (await findUserId(session, { text, tenantId: of }, signal));
        return listSessions(session, { query: { tenantId: of, userId, address, userAgent, ...place } }, { signal });
      }}
      filters={[
        { name: 'user', label: showsUsers ? texts.userFilter : texts.userId },
        { name: 'address', label: texts.addressFilter },
        { name: 'userAgent', label: texts.browserFilter },
      ]}
      columns={[
        user,
        ...(choosesTenant && tenantId === undefined ? [tenant] : []),
        browserColumn({ holds, linkTo }),
        ...sessionColumns(holds('MANAGE_SESSIONS')),
      ]}
      keyOf={({ id }) => id}
      shows={['sessions']}
      empty={texts.empty}
    />
  );
}
