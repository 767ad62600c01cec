import {
  createClientSecret,
  expireClientSecret,
  getServiceAccount,
  type ServiceAccount,
} from '../../../../client/src/operations.ts';
import { useQuery } from '../../query.ts';
import { Fact, Facts } from '../../ui/facts.tsx';
import { useService } from '../../ui/frame.tsx';
import { Name } from '../../ui/name.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Time } from '../../ui/time.tsx';
import { ConsoleFrame } from '../console-frame.tsx';
import { useConsole } from '../context.ts';
import { TenantName } from '../tenant-name.tsx';
import { ApiKeys } from './api-keys.tsx';
import { ClientSecrets } from './client-secrets.tsx';
import { ServiceAccountActs } from './service-account-acts.tsx';
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

function AccountFacts({ account }: { readonly account: ServiceAccount }) {
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
      <ServiceAccountActs account={account} />
    </div>
  );
}
