// The tenants: a list, and one of them.
import { useState } from 'preact/hooks';
import { Link, Route, Switch, useLocation } from 'wouter-preact';
import { createTenant, listTenants, type Tenant } from '../../../../client/src/operations.ts';
import { useList } from '../../list.ts';
import { Field } from '../../ui/field.tsx';
import { FilterChoice } from '../../ui/filter-choice.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useService } from '../../ui/frame.tsx';
import { ListView, SearchField } from '../../ui/list-view.tsx';
import { Name } from '../../ui/name.tsx';
import { notify } from '../../ui/notices.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { ConsoleFrame } from '../console-frame.tsx';
import { useConsole } from '../context.ts';
import { TenantDetail } from './tenant-detail.tsx';
import { TenantStatus } from './tenant-status.tsx';
import { tenantTexts } from './texts.ts';

export default function Tenants() {
  return (
    <Switch>
      <Route path="/tenants">
        <TenantList />
      </Route>
      <Route path="/tenants/:id">{({ id }) => <TenantDetail key={id} id={id} />}</Route>
    </Switch>
  );
}

function TenantList() {
  const { session } = useService();
  const { linkTo } = useConsole();
  const [isCreating, setCreating] = useState(false);
  const list = useList(['status'], ({ q, status, place }, signal) =>
    listTenants(session, { query: { query: q, status: status as Tenant['status'], ...place } }, { signal }),
  );
  const texts = tenantTexts();
  const columns: readonly Column<Tenant>[] = [
    {
      title: texts.name,
      cell: ({ id, name }) => (
        <Link href={linkTo(`/tenants/${id}`)}>
          <Name>{name}</Name>
        </Link>
      ),
    },
    { title: texts.id, cell: ({ id }) => <code>{id}</code> },
    { title: texts.status, cell: ({ status }) => <TenantStatus status={status} /> },
    { title: texts.domains, cell: ({ loginDomains }) => <Name>{loginDomains.join(', ') || undefined}</Name> },
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
          label={texts.status}
          value={list.values.status}
          options={[
            ['ACTIVE', texts.active],
            ['SUSPENDED', texts.suspended],
          ]}
          onChoose={(status) => list.filter({ status })}
        />
      </div>
      <ListView
        list={list}
        caption={texts.title}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<p>{texts.empty}</p>}
      />
      {isCreating && <CreateTenant onClose={() => setCreating(false)} />}
    </ConsoleFrame>
  );
}

function CreateTenant({ onClose }: { readonly onClose: () => void }) {
  const { session } = useService();
  const [, navigate] = useLocation();
  const { linkTo } = useConsole();
  const texts = tenantTexts();
  return (
    <FormDialog
      title={texts.create}
      action={texts.create}
      onClose={onClose}
      onSubmit={async ({ tenantId = '', name = '' }) => {
        await createTenant(session, { body: { tenantId, name } });
        notify(texts.createdNotice);
        navigate(linkTo(`/tenants/${tenantId}`));
      }}
      conflict={['tenantId', texts.taken]}
    >
      <Field name="name" label={texts.name} hint={texts.nameHint} required maxLength={200} autofocus />
      <Field
        name="tenantId"
        label={texts.id}
        hint={texts.idHint}
        title={texts.idHint}
        required
        maxLength={63}
        pattern="[a-z0-9\-]+"
        autocapitalize="off"
        spellcheck={false}
      />
    </FormDialog>
  );
}
