// The roles: a list, and one of them.
import { Route, Switch } from 'wouter-preact';
import { listRoles, type Role } from '../../../../client/src/operations.ts';
import { formatNumber } from '../../format.ts';
import { Name } from '../../ui/name.tsx';
import { useConsole } from '../context.ts';
import { nameColumn, ResourceList } from '../resource-list.tsx';
import { lazyDialog, lazyScreen } from '../lazy.tsx';
import { rankOf } from '../users/role-names.ts';
import { describeRole } from './role-descriptions.ts';
import { kindOf } from './role.ts';
import { roleTexts } from './texts.ts';

const RoleDetail = lazyScreen(
  () => roleTexts().title,
  async () => (await import('./role-detail.tsx')).RoleDetail,
);
const CreateRole = lazyDialog(async () => (await import('./create-role.tsx')).CreateRole);

export default function Roles() {
  return (
    <Switch>
      <Route path="/roles">
        <RoleList />
      </Route>
      <Route path="/roles/:name">{({ name }) => <RoleDetail key={name} name={name} />}</Route>
    </Switch>
  );
}

/** Most deployments have fewer, so that own roles come first. */
const MOST = 100;

function RoleList() {
  const { holds, linkTo } = useConsole();
  const texts = roleTexts();
  return (
    <ResourceList
      title={texts.title}
      load={async (session, { q, place, tenantId }, signal) => {
        const reply = await listRoles(session, { query: { query: q, tenantId, perPage: MOST, ...place } }, { signal });
        return { ...reply, data: reply.data.toSorted((one, other) => rankOf(one) - rankOf(other)) };
      }}
      search={texts.search}
      columns={[
        nameColumn(texts.name, linkTo, ({ name }: Role) => ({ path: `/roles/${name}`, name })),
        { title: texts.description, cell: ({ name, description }) => <Name>{describeRole(name, description)}</Name> },
        { title: texts.kind, cell: kindOf },
        {
          title: texts.permissions,
          cell: ({ effectivePermissions }) => formatNumber(effectivePermissions.length),
          isNumber: true,
        },
        { title: texts.accounts, cell: ({ accountCount }) => formatNumber(accountCount), isNumber: true },
      ]}
      keyOf={({ name }) => name}
      shows={['roles']}
      {...(holds('MANAGE_ROLES') && {
        create: { label: texts.create, form: (close: () => void) => <CreateRole onClose={close} /> },
      })}
    />
  );
}
