// The applications that log in users: a list, and one of them.
import { Route, Switch } from 'wouter-preact';
import { listApplications, type Application } from '../../../../client/src/operations.ts';
import { Time } from '../../ui/time.tsx';
import { useConsole } from '../context.ts';
import { nameColumn, ResourceList } from '../resource-list.tsx';
import { TenantName } from '../tenant-name.tsx';
import { lazyDialog, lazyScreen } from '../lazy.tsx';
import { ApplicationStatus } from './application-status.tsx';
import { applicationTexts } from './texts.ts';

const ApplicationDetail = lazyScreen(
  () => applicationTexts().application,
  async () => (await import('./application-detail.tsx')).ApplicationDetail,
);
const CreateApplication = lazyDialog(async () => (await import('./create-application.tsx')).CreateApplication);

export default function Applications() {
  return (
    <Switch>
      <Route path="/applications">
        <ApplicationList />
      </Route>
      <Route path="/applications/:id">{({ id }) => <ApplicationDetail key={id} id={id} />}</Route>
    </Switch>
  );
}

function ApplicationList() {
  const { linkTo } = useConsole();
  const texts = applicationTexts();
  return (
    <ResourceList
      title={texts.title}
      load={(session, { q, disabled, place, tenantId }, signal) => {
        const filters = { query: q, disabled: disabled === undefined ? undefined : disabled === 'true' };
        return listApplications(session, { query: { ...filters, tenantId, ...place } }, { signal });
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
        nameColumn(texts.name, linkTo, ({ id, name }: Application) => ({ path: `/applications/${id}`, name })),
        { title: texts.clientId, cell: ({ clientId }) => <code>{clientId}</code> },
        { title: texts.type, cell: ({ type }) => texts[type] },
        { title: texts.status, cell: ({ disabled }) => <ApplicationStatus disabled={disabled} /> },
        {
          title: texts.tenant,
          cell: ({ tenantId }) => (tenantId === undefined ? texts.allTenants : <TenantName id={tenantId} />),
        },
        { title: texts.created, cell: ({ createdAt }) => <Time>{createdAt}</Time> },
      ]}
      keyOf={({ id }) => id}
      shows={['applications']}
      empty={texts.empty}
      create={{ label: texts.create, form: (close) => <CreateApplication onClose={close} /> }}
    />
  );
}
