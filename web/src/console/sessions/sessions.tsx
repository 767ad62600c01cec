// The open sessions of a tenant.
import { listSessions, type Session } from '../../../../client/src/operations.ts';
import { Name } from '../../ui/name.tsx';
import type { Column } from '../../ui/table.tsx';
import { useConsole } from '../context.ts';
import { nameColumn, ResourceList } from '../resource-list.tsx';
import { browserColumn, sessionColumns } from './columns.tsx';
import { findUserId } from './find-user-id.ts';
import { sessionTexts } from './texts.ts';

export default function Sessions() {
  const { choosesTenant, tenantId, screens, linkTo } = useConsole();
  const texts = sessionTexts();
  const showsUsers = screens.some(({ path }) => path === '/users');
  const user: Column<Session> = showsUsers
    ? nameColumn(texts.user, linkTo, ({ accountId, username }) => ({ path: `/users/${accountId}`, name: username }))
    : { title: texts.user, cell: ({ username }) => <Name>{username}</Name> };
  const tenant = { title: texts.tenant, cell: ({ tenantId: own }: Session) => <Name>{own}</Name> };
  return (
    <ResourceList
      title={texts.title}
      intro={texts.intro}
      load={async (session, { user: text, place, tenantId: of }, signal) => {
        const userId = text && (await findUserId(session, { text, tenantId: of }, signal));
        return listSessions(session, { query: { tenantId: of, userId, ...place } }, { signal });
      }}
      filters={[{ name: 'user', label: showsUsers ? texts.userFilter : texts.userId }]}
      columns={(reload) => [
        user,
        ...(choosesTenant && tenantId === undefined ? [tenant] : []),
        browserColumn(),
        ...sessionColumns(reload),
      ]}
      keyOf={({ id }) => id}
      empty={texts.empty}
    />
  );
}
