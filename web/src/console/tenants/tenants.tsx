// The tenants: a list, and one of them.
import { Route, Switch, useLocation } from 'wouter-preact';
import { createTenant, listTenants, type Tenant } from '../../../../client/src/operations.ts';
import { changed } from '../../changes.ts';
import { Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useService } from '../../ui/frame.tsx';
import { Name } from '../../ui/name.tsx';
import { notify } from '../../ui/notices.tsx';
import { Time } from '../../ui/time.tsx';
import { useConsole } from '../context.ts';
import { nameColumn, ResourceList } from '../resource-list.tsx';
import { lazyScreen } from '../lazy.tsx';
import { TenantStatus } from './tenant-status.tsx';
import { tenantTexts } from './texts.ts';

const TenantDetail = lazyScreen(
  () => tenantTexts().title,
  async () => (await import('./tenant-detail.tsx')).TenantDetail,
);

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
  const { linkTo } = useConsole();
  const texts = tenantTexts();
  return (
    <ResourceList
      title={texts.title}
      load={(session, { q, status, place }, signal) =>
        listTenants(session, { query: { query: q, status: status as Tenant['status'], ...place } }, { signal })
      }
      search={texts.search}
      filters={[
        {
          name: 'status',
          label: texts.status,
          options: [
            ['ACTIVE', texts.active],
            ['SUSPENDED', texts.suspended],
          ],
        },
      ]}
      columns={[
        nameColumn(texts.name, linkTo, ({ id, name }: Tenant) => ({ path: `/tenants/${id}`, name })),
        { title: texts.id, cell: ({ id }) => <code>{id}</code> },
        { title: texts.status, cell: ({ status }) => <TenantStatus status={status} /> },
        { title: texts.domains, cell: ({ loginDomains }) => <Name>{loginDomains.join(', ') || undefined}</Name> },
        { title: texts.created, cell: ({ createdAt }) => <Time>{createdAt}</Time> },
      ]}
      keyOf={({ id }) => id}
      shows={['tenants']}
      empty={texts.empty}
      create={{ label: texts.create, form: (close) => <CreateTenant onClose={close} /> }}
    />
  );
}

function CreateTenant({ onClose }: { readonly onClose: () => void }) {
  const { session } = useService();
  const [, navigate] = useLocation();
  const texts = tenantTexts();
  return (
    <FormDialog
      title={texts.create}
      action={texts.create}
      onClose={onClose}
      onSubmit={async ({ tenantId = '', name = '' }) => {
        await createTenant(session, { body: { tenantId, name } });
        notify(texts.createdNotice);
        changed(['tenants']);
        // What comes next concerns the new tenant.
        navigate(`/tenants/${tenantId}?${new URLSearchParams({ tenantId })}`);
      }}
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
