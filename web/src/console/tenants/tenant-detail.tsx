import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { getTenant, setLoginDomains, type Tenant } from '../../../../client/src/operations.ts';
import { changed } from '../../changes.ts';
import { useQuery } from '../../query.ts';
import { Acts } from '../act-button.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { TextArea } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useService } from '../../ui/frame.tsx';
import { Name } from '../../ui/name.tsx';
import { notify } from '../../ui/notices.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Time } from '../../ui/time.tsx';
import { wordsOf } from '../../words.ts';
import { ConsoleFrame } from '../console-frame.tsx';
import { useConsole } from '../context.ts';
import { NextSteps } from './next-steps.tsx';
import { useTenantActs } from './tenant-acts.ts';
import { TenantStatus } from './tenant-status.tsx';
import { tenantTexts } from './texts.ts';

export function TenantDetail({ id }: { readonly id: string }) {
  const { session } = useService();
  const query = useQuery(
    async (signal) => (await getTenant(session, { path: { tenantId: id } }, { signal })).data,
    [id],
    ['tenants'],
  );
  return (
    <ConsoleFrame title={query.data?.name ?? id}>
      <QueryView query={query}>{(tenant) => <TenantFacts tenant={tenant} />}</QueryView>
    </ConsoleFrame>
  );
}

interface TenantProps {
  readonly tenant: Tenant;
}

const LINKS = ['/users', '/sessions', '/policy', '/audit'] as const;

function TenantFacts({ tenant }: TenantProps) {
  const { canOpen } = useConsole();
  const [isChanging, setChanging] = useState(false);
  const { change, endSessions } = useTenantActs(tenant);
  const texts = tenantTexts();
  const { id } = tenant;
  return (
    <div class="record">
      <Acts acts={endSessions ? [endSessions, change] : [change]}>
        <button onClick={() => setChanging(true)}>{texts.changeDomains}</button>
      </Acts>
      <NextSteps tenantId={id} />
      <Facts>
        <Fact label={texts.id}>
          <code>{id}</code>
        </Fact>
        <Fact label={texts.status}>
          <TenantStatus status={tenant.status} />
        </Fact>
        <Fact label={texts.domains}>
          <Name>{tenant.loginDomains.join(', ') || texts.noDomains}</Name>
        </Fact>
        <Fact label={texts.created}>
          <Time>{tenant.createdAt}</Time>
        </Fact>
      </Facts>
      <p class="links">
        {LINKS.filter(canOpen).map((path) => (
          <Link key={path} href={`${path}?${new URLSearchParams({ tenantId: id })}`}>
            {texts[path]}
          </Link>
        ))}
      </p>
      {isChanging && <ChangeDomains tenant={tenant} onClose={() => setChanging(false)} />}
    </div>
  );
}

function ChangeDomains({ tenant, onClose }: TenantProps & { readonly onClose: () => void }) {
  const { session } = useService();
  const texts = tenantTexts();
  return (
    <FormDialog
      title={texts.changeDomains}
      action={texts.saveDomains}
      onClose={onClose}
      onSubmit={async ({ loginDomains = '' }) => {
        const body = { loginDomains: wordsOf(loginDomains) };
        await setLoginDomains(session, { path: { tenantId: tenant.id }, body });
        notify(texts.domainsSaved);
        onClose();
        changed(['tenants']);
      }}
    >
      <TextArea
        name="loginDomains"
        label={texts.domains}
        hint={texts.domainsHint}
        value={tenant.loginDomains.join('\n')}
        maxLength={30_000}
      />
    </FormDialog>
  );
}
