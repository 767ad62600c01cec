import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { listUsers, type User } from '../../../../client/src/operations.ts';
import { useList } from '../../list.ts';
import { FilterChoice } from '../../ui/filter-choice.tsx';
import { useService } from '../../ui/frame.tsx';
import { ListView, SearchField } from '../../ui/list-view.tsx';
import { Name } from '../../ui/name.tsx';
import { Time } from '../../ui/time.tsx';
import type { Column } from '../../ui/table.tsx';
import { ConsoleFrame } from '../console-frame.tsx';
import { useConsole } from '../context.ts';
import { CreateUser } from './create-user.tsx';
import { useRoleNames } from './roles.tsx';
import { userTexts } from './texts.ts';
import { UserState } from './user-state.tsx';

export function UserList() {
  const { session } = useService();
  const { choosesTenant, tenantId, linkTo } = useConsole();
  const roleNames = useRoleNames();
  const [isCreating, setCreating] = useState(false);
  const list = useList(['role', 'disabled'], ({ q, role, disabled, place }, signal) => {
    const filters = { query: q, role, disabled: disabled === undefined ? undefined : disabled === 'true' };
    return listUsers(session, { query: { ...filters, tenantId, ...place } }, { signal });
  });
  const texts = userTexts();
  const columns: readonly Column<User>[] = [
    {
      title: texts.name,
      cell: ({ id, name }) => (
        <Link href={linkTo(`/users/${id}`)}>
          <Name>{name}</Name>
        </Link>
      ),
    },
    { title: texts.username, cell: ({ username }) => <Name>{username}</Name> },
    ...(choosesTenant && tenantId === undefined
      ? [{ title: texts.tenant, cell: ({ tenantId: own }: User) => <Name>{own}</Name> }]
      : []),
    { title: texts.roles, cell: ({ heldRoles }) => heldRoles.join(', ') },
    { title: texts.state, cell: (user) => <UserState user={user} /> },
    { title: texts.created, cell: ({ createdAt }) => <Time>{createdAt}</Time> },
  ];
  return (
    <ConsoleFrame
      title={texts.title}
      actions={
        <button class="primary" onClick={() => setCreating(true)}>
          {texts.create}
        </button>
      }
    >
      <div class="filters">
        <SearchField label={texts.search} value={list.values.q} onSearch={(q) => list.filter({ q })} />
        <FilterChoice
          label={texts.role}
          value={list.values.role}
          options={roleNames.map((name) => [name, name])}
          onChoose={(role) => list.filter({ role })}
        />
        <FilterChoice
          label={texts.state}
          value={list.values.disabled}
          options={[
            ['false', texts.enabled],
            ['true', texts.disabled],
          ]}
          onChoose={(disabled) => list.filter({ disabled })}
        />
      </div>
      <ListView
        list={list}
        caption={texts.title}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<p>{texts.empty}</p>}
      />
      {isCreating && <CreateUser roleNames={roleNames} onClose={() => setCreating(false)} />}
    </ConsoleFrame>
  );
}
