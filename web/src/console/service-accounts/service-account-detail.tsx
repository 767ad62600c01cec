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
import { changed } from '../../changes.ts';
import { useQuery } from '../../query.ts';
import { ActButton } from '../act-button.tsx';
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
import { TenantName } from '../tenant-name.tsx';
import { ApiKeys } from './api-keys.tsx';
import { ClientSecrets } from './client-secrets.tsx';
import { ServiceAccountStatus } from './service-account-status.tsx';
import { serviceAccountTexts } from './texts.ts';
import { tokenCommand } from './usage.ts';

export function ServiceAccountDetail({ id }: { readonly id: string }) {
  const { session } = useService();
  const { holds } = useConsole();
  const query = useQuery(
    async (signal) => (await getServiceAccount(session, { path: { id } }, { signal })).data,
    [id],
    ['service-accounts'],
  );
  return (
    <ConsoleFrame title={query.data?.name ?? serviceAccountTexts().title}>
      <QueryView query={query}>
        {(account) => (
          <>
            <AccountFacts account={account} />
            <ClientSecrets
              secrets={account.secrets}
              create={async (body) => (await createClientSecret(session, { path: { id }, body })).data.clientSecret}
              expire={(secretId, body) => expireClientSecret(session, { path: { id, secretId }, body })}
              usageOf={(secret) => tokenCommand(account.clientId, secret)}
              changes={['service-accounts']}
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
}

function AccountFacts({ account }: AccountProps) {
  const { canOpen, linkTo } = useConsole();
  const [isChanging, setChanging] = useState(false);
  const texts = serviceAccountTexts();
  const { id, clientId, roles, tenantId, resourceServer = false, createdAt } = account;
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
          <TenantName id={tenantId} />
        </Fact>
        <Fact label={texts.roles}>{roles.join(', ')}</Fact>
        <Fact label={texts.resourceServer}>{resourceServer ? texts.yes : texts.no}</Fact>
        <Fact label={texts.created}>
          <Time>{createdAt}</Time>
        </Fact>
      </Facts>
      <p class="actions">
        {canOpen('/audit') && (
          <Link class="button" href={linkTo('/audit', { account: id })}>
            {texts.history}
          </Link>
        )}
        <button onClick={() => setChanging(true)}>{texts.rename}</button>
        <Disabling account={account} />
      </p>
      {isChanging && <Rename account={account} onClose={() => setChanging(false)} />}
    </div>
  );
}

function Disabling({ account: { id, name, disabled } }: AccountProps) {
  const { session } = useService();
  const texts = serviceAccountTexts();
  const question = disabled
    ? { title: texts.enableTitle(name), text: texts.enableText, action: texts.enableAct }
    : { title: texts.disableTitle(name), text: texts.disableText, action: texts.disableAct };
  return (
    <ActButton
      key={String(disabled)}
      label={disabled ? texts.enable : texts.disable}
      isDanger={!disabled}
      question={question}
      changes={['service-accounts']}
      run={async () => {
        await (disabled ? enableServiceAccount : disableServiceAccount)(session, { path: { id } });
        return disabled ? texts.enabledNotice : texts.disabledNotice;
      }}
    />
  );
}

function Rename({ account, onClose }: AccountProps & { readonly onClose: () => void }) {
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
        changed(['service-accounts']);
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
