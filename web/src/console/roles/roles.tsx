// The roles: a list, and one of them.
import { useState } from 'preact/hooks';
import { Link, Route, Switch, useLocation } from 'wouter-preact';
import { createRole, listRoles, type Role } from '../../../../client/src/operations.ts';
import { formatNumber } from '../../format.ts';
import { useList } from '../../list.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import type { Values } from '../../ui/form.tsx';
import { useService } from '../../ui/frame.tsx';
import { ListView, SearchField } from '../../ui/list-view.tsx';
import { Name } from '../../ui/name.tsx';
import { notify } from '../../ui/notices.tsx';
import type { Column } from '../../ui/table.tsx';
import { ConsoleFrame } from '../console-frame.tsx';
import { useConsole } from '../context.ts';
import { RoleDetail } from './role-detail.tsx';
import { bodyOf, RoleFields } from './role-fields.tsx';
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

function RoleList() {
  const { session } = useService();
  const { linkTo, tenantId } = useConsole();
  const [isCreating, setCreating] = useState(false);
  const list = useList(
    [],
    ({ q, place }, signal) => listRoles(session, { query: { query: q, tenantId, ...place } }, { signal }),
    [tenantId],
  );
  const texts = roleTexts();
  const columns: readonly Column<Role>[] = [
    { title: texts.name, cell: ({ name }) => <Link href={linkTo(`/roles/${name}`)}>{name}</Link> },
    { title: texts.description, cell: ({ description }) => <Name>{description}</Name> },
    { title: texts.kind, cell: kindOf },
    {
      title: texts.permissions,
      cell: ({ effectivePermissions }) => formatNumber(effectivePermissions.length),
      isNumber: true,
    },
    { title: texts.accounts, cell: ({ accountCount }) => formatNumber(accountCount), isNumber: true },
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
      </div>
      <ListView list={list} caption={texts.title} columns={columns} keyOf={({ name }) => name} />
      {isCreating && <CreateRole onClose={() => setCreating(false)} />}
    </ConsoleFrame>
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
