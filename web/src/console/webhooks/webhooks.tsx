// The webhooks: a list, and one of them.
import { useState } from 'preact/hooks';
import { Link, Route, Switch } from 'wouter-preact';
import { listWebhooks, type Webhook } from '../../../../client/src/operations.ts';
import { formatNumber } from '../../format.ts';
import { useList } from '../../list.ts';
import { FilterChoice } from '../../ui/filter-choice.tsx';
import { useService } from '../../ui/frame.tsx';
import { ListView, SearchField } from '../../ui/list-view.tsx';
import { Name } from '../../ui/name.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { ConsoleFrame } from '../console-frame.tsx';
import { useConsole } from '../context.ts';
import { CreateWebhook } from './create-webhook.tsx';
import { webhookTexts } from './texts.ts';
import { WebhookDetail } from './webhook-detail.tsx';
import { WebhookStatus } from './webhook-status.tsx';

export default function Webhooks() {
  return (
    <Switch>
      <Route path="/webhooks">
        <WebhookList />
      </Route>
      <Route path="/webhooks/:id">{({ id }) => <WebhookDetail key={id} id={id} />}</Route>
    </Switch>
  );
}

/** Characters of a URL in the list. Its record shows all of it. */
const SHOWN = 100;
const shorten = (url: string): string => (url.length > SHOWN ? `${url.slice(0, SHOWN)} …` : url);

function WebhookList() {
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
      return listWebhooks(session, { query }, { signal });
    },
    [tenantId],
  );
  const texts = webhookTexts();
  const columns: readonly Column<Webhook>[] = [
    {
      title: texts.url,
      cell: ({ id, url }) => (
        <Link href={linkTo(`/webhooks/${id}`)}>
          <Name>{shorten(url)}</Name>
        </Link>
      ),
    },
    { title: texts.status, cell: (webhook) => <WebhookStatus webhook={webhook} /> },
    { title: texts.events, cell: ({ events }) => formatNumber(events.length), isNumber: true },
    ...(tenantId === undefined
      ? [{ title: texts.tenant, cell: ({ tenantId: id }: Webhook) => (id ? <code>{id}</code> : texts.allTenants) }]
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
      {isCreating && <CreateWebhook onClose={() => setCreating(false)} />}
    </ConsoleFrame>
  );
}
