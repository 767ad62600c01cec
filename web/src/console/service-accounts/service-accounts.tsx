// The service accounts: a list, and one of them.
import { useState } from 'preact/hooks';
import { Link, Route, Switch } from 'wouter-preact';
import { listServiceAccounts, type ServiceAccount } from '../../../../client/src/operations.ts';
import { useList } from '../../list.ts';
import { FilterChoice } from '../../ui/filter-choice.tsx';
import { useService } from '../../ui/frame.tsx';
import { ListView, SearchField } from '../../ui/list-view.tsx';
import { Name } from '../../ui/name.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { ConsoleFrame } from '../console-frame.tsx';
import { useConsole } from '../context.ts';
import { CreateServiceAccount } from './create-service-account.tsx';
import { ServiceAccountDetail } from './service-account-detail.tsx';
import { ServiceAccountStatus } from './service-account-status.tsx';
import { serviceAccountTexts } from './texts.ts';

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
  const { session } = useService();
  const { linkTo, tenantId } = useConsole();
  const [isCreating, setCreating] = useState(false);
  const list = useList(
    ['disabled'],
    ({ q, disabled, place }, signal) => {
      const query = {
        query: q,
        disabled: disabled === undefined ? undefined : disabled === 'true',
        tenantId,
        ...place,
      };
      return listServiceAccounts(session, { query }, { signal });
    },
    [tenantId],
  );
  const texts = serviceAccountTexts();
  const columns: readonly Column<ServiceAccount>[] = [
    {
      title: texts.name,
      cell: ({ id, name }) => (
        <Link href={linkTo(`/service-accounts/${id}`)}>
          <Name>{name}</Name>
        </Link>
      ),
    },
    { title: texts.clientId, cell: ({ clientId }) => <Name>{clientId}</Name> },
    { title: texts.status, cell: ({ disabled }) => <ServiceAccountStatus disabled={disabled} /> },
    { title: texts.roles, cell: ({ roles }) => roles.join(', ') },
    ...(tenantId === undefined
      ? [{ title: texts.tenant, cell: ({ tenantId: id }: ServiceAccount) => (id ? <code>{id}</code> : '–') }]
      : []),
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
      {isCreating && <CreateServiceAccount onClose={() => setCreating(false)} />}
    </ConsoleFrame>
  );
}
