import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import {
  createClientSecret,
  expireClientSecret,
  disableServiceAccount,
  enableServiceAccount,
  getServiceAccount,
  updateServiceAccount,
  type ServiceAccount,
} from '../../../../client/src/operations.ts';
import { useQuery } from '../../query.ts';
import { ActError, useAct } from '../../ui/act.tsx';
import { confirm } from '../../ui/confirm.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { CheckField, Field } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useService } from '../../ui/frame.tsx';
import { Name } from '../../ui/name.tsx';
import { notify } from '../../ui/notices.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Time } from '../../ui/time.tsx';
import { ConsoleFrame } from '../console-frame.tsx';
import { useConsole } from '../context.ts';
import { ApiKeys } from './api-keys.tsx';
import { ClientSecrets } from './client-secrets.tsx';
import { ServiceAccountStatus } from './service-account-status.tsx';
import { serviceAccountTexts } from './texts.ts';

export function ServiceAccountDetail({ id }: { readonly id: string }) {
  const { session } = useService();
  const { holds } = useConsole();
  const query = useQuery(async (signal) => (await getServiceAccount(session, { path: { id } }, { signal })).data, [id]);
  return (
    <ConsoleFrame title={query.data?.name ?? serviceAccountTexts().title}>
      <QueryView query={query}>
        {(account) => (
          <>
            <AccountFacts account={account} onChange={query.reload} />
            <ClientSecrets
              secrets={account.secrets}
              create={async (body) => (await createClientSecret(session, { path: { id }, body })).data.clientSecret}
              expire={(secretId) => expireClientSecret(session, { path: { id, secretId }, body: {} })}
              onChange={query.reload}
            />
            {holds('MANAGE_API_KEYS') && <ApiKeys accountId={account.id} />}
          </>
        )}
      </QueryView>
    </ConsoleFrame>
  );
}

interface AccountProps {
  readonly account: ServiceAccount;
  readonly onChange: () => void;
}

function AccountFacts({ account, onChange }: AccountProps) {
  const { holds, linkTo } = useConsole();
  const [isChanging, setChanging] = useState(false);
  const texts = serviceAccountTexts();
  const { id, clientId, roles, tenantId, resourceServer = false, createdAt } = account;
  const history = linkTo('/audit');
  return (
    <div class="record">
      <Facts>
        <Fact label={texts.clientId}>
          <Name>{clientId}</Name>
        </Fact>
        <Fact label={texts.id}>
          <code>{id}</code>
        </Fact>
        <Fact label={texts.status}>
          <ServiceAccountStatus disabled={account.disabled} />
        </Fact>
        <Fact label={texts.tenant}>
          <code>{tenantId ?? '–'}</code>
        </Fact>
        <Fact label={texts.roles}>{roles.join(', ')}</Fact>
        <Fact label={texts.resourceServer}>{resourceServer ? texts.yes : texts.no}</Fact>
        <Fact label={texts.created}>
          <Time>{createdAt}</Time>
        </Fact>
      </Facts>
      <p class="actions">
        {holds('READ_AUDIT') && (
          <Link class="button" href={`${history}${history.includes('?') ? '&' : '?'}accountId=${id}`}>
            {texts.history}
          </Link>
        )}
        <button onClick={() => setChanging(true)}>{texts.rename}</button>
        <Disabling account={account} onChange={onChange} />
      </p>
      {isChanging && <Rename account={account} onChange={onChange} onClose={() => setChanging(false)} />}
    </div>
  );
}

function Disabling({ account: { id, name, disabled }, onChange }: AccountProps) {
  const { session } = useService();
  const texts = serviceAccountTexts();
  const kind = disabled
    ? {
        question: { title: texts.enableTitle(name), text: texts.enableText, action: texts.enableAct },
        send: enableServiceAccount,
        done: texts.enabledNotice,
      }
    : {
        question: { title: texts.disableTitle(name), text: texts.disableText, action: texts.disableAct },
        send: disableServiceAccount,
        done: texts.disabledNotice,
      };
  const change = useAct(async () => {
    if (!(await confirm(kind.question))) return;
    await kind.send(session, { path: { id } });
    notify(kind.done);
    onChange();
  });
  return (
    <>
      <button class={disabled ? '' : 'danger'} aria-disabled={change.isBusy} onClick={() => change.run()}>
        {disabled ? texts.enable : texts.disable}
      </button>
      <ActError act={change} />
    </>
  );
}

function Rename({ account, onChange, onClose }: AccountProps & { readonly onClose: () => void }) {
  const { session } = useService();
  const { choosesTenant } = useConsole();
  const texts = serviceAccountTexts();
  return (
    <FormDialog
      title={texts.rename}
      action={texts.save}
      onClose={onClose}
      onSubmit={async ({ name = '', resourceServer }) => {
        const extent = choosesTenant ? { resourceServer: resourceServer !== undefined } : {};
        await updateServiceAccount(session, { path: { id: account.id }, body: { name, ...extent } });
        notify(texts.renamed);
        onClose();
        onChange();
      }}
    >
      <Field
        name="name"
        label={texts.name}
        hint={texts.nameHint}
        defaultValue={account.name}
        required
        maxLength={200}
      />
      {choosesTenant && (
        <CheckField
          name="resourceServer"
          label={texts.resourceServer}
          hint={texts.resourceServerHint}
          defaultChecked={account.resourceServer ?? false}
        />
      )}
    </FormDialog>
  );
}
