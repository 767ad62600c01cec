import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import {
  activateTenant,
  getTenant,
  revokeTenantSessions,
  setLoginDomains,
  suspendTenant,
  type Tenant,
} from '../../../../client/src/operations.ts';
import { changed, type Topic } from '../../changes.ts';
import { formatNumber } from '../../format.ts';
import { useQuery } from '../../query.ts';
import { Acts, type Act } from '../act-button.tsx';
import { reasonOf } from '../reason.tsx';
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
  const acts = useTenantActs(tenant);
  const texts = tenantTexts();
  const { id } = tenant;
  return (
    <div class="record">
      <Acts acts={acts}>
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

const TENANT: readonly Topic[] = ['tenants', 'sessions', 'users'];

function useTenantActs({ id, name, status }: Tenant): readonly Act[] {
  const { session } = useService();
  const { holds } = useConsole();
  const texts = tenantTexts();
  const path = { tenantId: id };
  const endSessions: Act = {
    label: texts.endSessions,
    isDanger: true,
    question: {
      title: texts.endSessionsTitle(name),
      text: texts.endSessionsText,
      action: texts.endSessions,
      hasReason: true,
    },
    changes: ['sessions'],
    run: async (values) => {
      const { data } = await revokeTenantSessions(session, { path, body: reasonOf(values) });
      return texts.sessionsEnded(formatNumber(data.sessions));
    },
  };
  const suspend: Act = {
    label: texts.suspend,
    isDanger: true,
    question: { title: texts.suspendTitle(name), text: texts.suspendText, action: texts.suspendAct, hasReason: true },
    changes: TENANT,
    run: async (values) => {
      await suspendTenant(session, { path, body: reasonOf(values) });
      return texts.suspendedNotice;
    },
  };
  const activate: Act = {
    label: texts.activate,
    question: {
      title: texts.activateTitle(name),
      text: texts.activateText,
      action: texts.activateAct,
      hasReason: true,
    },
    changes: TENANT,
    run: async (values) => {
      await activateTenant(session, { path, body: reasonOf(values) });
      return texts.activatedNotice;
    },
  };
  return [...(holds('MANAGE_SESSIONS') ? [endSessions] : []), status === 'ACTIVE' ? suspend : activate];
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
      conflict={['loginDomains', texts.domainsTaken]}
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
