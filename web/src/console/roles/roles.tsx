// The roles: a list, and one of them.
import { Route, Switch, useLocation } from 'wouter-preact';
import { createRole, listRoles, type Role } from '../../../../client/src/operations.ts';
import { changed } from '../../changes.ts';
import { formatNumber } from '../../format.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import type { Values } from '../../ui/form.tsx';
import { useService } from '../../ui/frame.tsx';
import { Name } from '../../ui/name.tsx';
import { notify } from '../../ui/notices.tsx';
import { useConsole } from '../context.ts';
import { nameColumn, ResourceList } from '../resource-list.tsx';
import { RoleDetail } from './role-detail.tsx';
import { bodyOf, RoleFields } from './role-fields.tsx';
import { rankOf } from '../users/roles.tsx';
import { describeRole } from './role-descriptions.ts';
import { kindOf, tenantOf } from './role.ts';
import { roleTexts } from './texts.ts';

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

function CreateRole({ onClose }: { readonly onClose: () => void }) {
  const { session } = useService();
  const [, navigate] = useLocation();
  const { choosesTenant, linkTo, tenantId } = useConsole();
  const texts = roleTexts();
  const create = async (values: Values) => {
    const { name = '' } = values;
    const { description, ...fields } = bodyOf(values);
    const body = { name, ...fields, ...(description === null ? {} : { description }), ...tenantOf({ tenantId }) };
    await createRole(session, { body });
    notify(texts.createdNotice);
    changed(['roles']);
    navigate(linkTo(`/roles/${name}`));
  };
  return (
    <FormDialog
      title={texts.create}
      action={texts.create}
      onClose={onClose}
      onSubmit={create}
      conflict={['name', texts.taken]}
    >
      {choosesTenant && tenantId === undefined && <p>{texts.createAll}</p>}
      <Field
        name="name"
        label={texts.name}
        hint={texts.nameHint}
        title={texts.nameHint}
        required
        maxLength={63}
        pattern="[A-Z][A-Z0-9_]*"
        autocapitalize="characters"
        spellcheck={false}
        autofocus
      />
      <RoleFields />
    </FormDialog>
  );
}
