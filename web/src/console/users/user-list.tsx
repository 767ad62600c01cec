import { listUsers, type User } from '../../../../client/src/operations.ts';
import { Name } from '../../ui/name.tsx';
import { Time } from '../../ui/time.tsx';
import { useConsole } from '../context.ts';
import { nameColumn, ResourceList } from '../resource-list.tsx';
import { CreateUser } from './create-user.tsx';
import { useRoleNames } from './roles.tsx';
import { userTexts } from './texts.ts';
import { UserState } from './user-state.tsx';

export function UserList() {
  const { choosesTenant, tenantId, linkTo } = useConsole();
  const roleNames = useRoleNames();
  const texts = userTexts();
  const tenant = { title: texts.tenant, cell: ({ tenantId: own }: User) => <Name>{own}</Name> };
  return (
    <ResourceList
      title={texts.title}
      load={(session, { q, role, disabled, place, tenantId: of }, signal) => {
        const filters = { query: q, role, disabled: disabled === undefined ? undefined : disabled === 'true' };
        return listUsers(session, { query: { ...filters, tenantId: of, ...place } }, { signal });
      }}
      search={texts.search}
      filters={[
        { name: 'role', label: texts.role, options: roleNames.map((name) => [name, name]) },
        {
          name: 'disabled',
          label: texts.state,
          options: [
            ['false', texts.enabled],
            ['true', texts.disabled],
          ],
        },
      ]}
      columns={[
        nameColumn(texts.name, linkTo, ({ id, name }: User) => ({ path: `/users/${id}`, name })),
        { title: texts.username, cell: ({ username }) => <Name>{username}</Name> },
        ...(choosesTenant && tenantId === undefined ? [tenant] : []),
        { title: texts.roles, cell: ({ heldRoles }) => heldRoles.join(', ') },
        { title: texts.state, cell: (user) => <UserState user={user} /> },
        { title: texts.created, cell: ({ createdAt }) => <Time>{createdAt}</Time> },
      ]}
      keyOf={({ id }) => id}
      empty={texts.empty}
      create={{ label: texts.create, form: (close) => <CreateUser roleNames={roleNames} onClose={close} /> }}
    />
  );
}
