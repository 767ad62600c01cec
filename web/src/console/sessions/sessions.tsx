// The open sessions of a tenant.
import { Link } from 'wouter-preact';
import { listSessions, type Session } from '../../../../client/src/operations.ts';
import { useList } from '../../list.ts';
import { FilterField } from '../../ui/filter-field.tsx';
import { useService } from '../../ui/frame.tsx';
import { ListView } from '../../ui/list-view.tsx';
import { Name } from '../../ui/name.tsx';
import type { Column } from '../../ui/table.tsx';
import { ConsoleFrame } from '../console-frame.tsx';
import { useConsole } from '../context.ts';
import { browserColumn, sessionColumns } from './columns.tsx';
import { findUserId } from './find-user-id.ts';
import { sessionTexts } from './texts.ts';

export default function Sessions() {
  const { session } = useService();
  const { choosesTenant, tenantId, screens, linkTo } = useConsole();
  const list = useList(['user'], async ({ user, place }, signal) => {
    const userId = user && (await findUserId(session, { text: user, tenantId }, signal));
    return listSessions(session, { query: { tenantId, userId, ...place } }, { signal });
  });
  const texts = sessionTexts();
  const showsUsers = screens.some(({ path }) => path === '/users');
  const columns: readonly Column<Session>[] = [
    {
      title: texts.user,
      cell: ({ accountId, username }) =>
        showsUsers ? (
          <Link href={linkTo(`/users/${accountId}`)}>
            <Name>{username}</Name>
          </Link>
        ) : (
          <Name>{username}</Name>
        ),
    },
    ...(choosesTenant && tenantId === undefined
      ? [{ title: texts.tenant, cell: ({ tenantId: own }: Session) => <Name>{own}</Name> }]
      : []),
    browserColumn(),
    ...sessionColumns(list.query.reload),
  ];
  return (
    <ConsoleFrame title={texts.title}>
      <p class="quiet-text">{texts.intro}</p>
      <div class="filters">
        <FilterField
          label={showsUsers ? texts.userFilter : texts.userId}
          value={list.values.user}
          maxLength={254}
          isSearch
          onChoose={(user) => list.filter({ user })}
        />
      </div>
      <ListView
        list={list}
        caption={texts.title}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<p>{texts.empty}</p>}
      />
    </ConsoleFrame>
  );
}
