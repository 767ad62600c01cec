// The service accounts: a list, and one of them.
import { Route, Switch } from 'wouter-preact';
import { listServiceAccounts, type ServiceAccount } from '../../../../client/src/operations.ts';
import { Name } from '../../ui/name.tsx';
import { Time } from '../../ui/time.tsx';
import { useConsole } from '../context.ts';
import { nameColumn, ResourceList } from '../resource-list.tsx';
import { TenantName } from '../tenant-name.tsx';
import { lazyDialog, lazyScreen } from '../lazy.tsx';
import { ServiceAccountStatus } from './service-account-status.tsx';
import { serviceAccountTexts } from './texts.ts';

const ServiceAccountDetail = lazyScreen(
  () => serviceAccountTexts().title,
  async () => (await import('./service-account-detail.tsx')).ServiceAccountDetail,
);
const CreateServiceAccount = lazyDialog(
  async () => (await import('./create-service-account.tsx')).CreateServiceAccount,
);

export default function ServiceAccounts() {
  return (
    <Switch>
      <Route path="/service-accounts">
        <ServiceAccountList />
      </Route>
      <Route path="/service-accounts/:id">{({ id }) => <ServiceAccountDetail key={id} id={id} />}</Route>
    </Switch>
  );
}

function ServiceAccountList() {
  const { linkTo, tenantId } = useConsole();
  const texts = serviceAccountTexts();
  const tenant = {
    title: texts.tenant,
    cell: ({ tenantId: id }: ServiceAccount) => <TenantName id={id} />,
  };
  return (
    <ResourceList
      title={texts.title}
      load={(session, { q, disabled, place, tenantId: of }, signal) => {
        const filters = { query: q, disabled: disabled === undefined ? undefined : disabled === 'true' };
        return listServiceAccounts(session, { query: { ...filters, tenantId: of, ...place } }, { signal });
      }}
      search={texts.search}
      filters={[
        {
          name: 'disabled',
          label: texts.status,
          options: [
            ['false', texts.enabled],
            ['true', texts.disabled],
          ],
        },
      ]}
      columns={[
        nameColumn(texts.name, linkTo, ({ id, name }: ServiceAccount) => ({ path: `/service-accounts/${id}`, name })),
        { title: texts.clientId, cell: ({ clientId }) => <Name>{clientId}</Name> },
        { title: texts.status, cell: ({ disabled }) => <ServiceAccountStatus disabled={disabled} /> },
        { title: texts.roles, cell: ({ roles }) => roles.join(', ') },
        ...(tenantId === undefined ? [tenant] : []),
        { title: texts.created, cell: ({ createdAt }) => <Time>{createdAt}</Time> },
      ]}
      keyOf={({ id }) => id}
      shows={['service-accounts']}
      empty={texts.empty}
      create={{ label: texts.create, form: (close) => <CreateServiceAccount onClose={close} /> }}
    />
  );
}
