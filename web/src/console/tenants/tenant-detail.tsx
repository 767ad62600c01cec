import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import {
  activateTenant,
  getTenant,
  setLoginDomains,
  suspendTenant,
  type Tenant,
} from '../../../../client/src/operations.ts';
import { useQuery } from '../../query.ts';
import { ActError, useAct } from '../../ui/act.tsx';
import { confirm } from '../../ui/confirm.tsx';
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
import { TenantStatus } from './tenant-status.tsx';
import { tenantTexts } from './texts.ts';

export function TenantDetail({ id }: { readonly id: string }) {
  const { session } = useService();
  const query = useQuery(
    async (signal) => (await getTenant(session, { path: { tenantId: id } }, { signal })).data,
    [id],
  );
  return (
    <ConsoleFrame title={query.data?.name ?? id}>
      <QueryView query={query}>{(tenant) => <TenantFacts tenant={tenant} onChange={query.reload} />}</QueryView>
    </ConsoleFrame>
  );
}

interface TenantProps {
  readonly tenant: Tenant;
  readonly onChange: () => void;
}

function TenantFacts({ tenant, onChange }: TenantProps) {
  const { screens } = useConsole();
  const [isChanging, setChanging] = useState(false);
  const texts = tenantTexts();
  const { id } = tenant;
  const links = [
    ['/users', texts.users],
    ['/sessions', texts.sessions],
  ] as const;
  return (
    <div class="record">
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
      <p class="actions">
        {links
          .filter(([path]) => screens.some((screen) => screen.path === path))
          .map(([path, title]) => (
            <Link key={path} class="button" href={`${path}?${new URLSearchParams({ tenantId: id })}`}>
              {title}
            </Link>
          ))}
      </p>
      <p class="actions">
        <button onClick={() => setChanging(true)}>{texts.changeDomains}</button>
        <Suspension tenant={tenant} onChange={onChange} />
      </p>
      {isChanging && <ChangeDomains tenant={tenant} onChange={onChange} onClose={() => setChanging(false)} />}
    </div>
  );
}

function Suspension({ tenant: { id, name, status }, onChange }: TenantProps) {
  const { session } = useService();
  const texts = tenantTexts();
  const isActive = status === 'ACTIVE';
  const kind = isActive
    ? {
        question: { title: texts.suspendTitle(name), text: texts.suspendText, action: texts.suspendAct },
        send: suspendTenant,
        done: texts.suspendedNotice,
      }
    : {
        question: { title: texts.activateTitle(name), text: texts.activateText, action: texts.activateAct },
        send: activateTenant,
        done: texts.activatedNotice,
      };
  const change = useAct(async () => {
    if (!(await confirm(kind.question))) return;
    await kind.send(session, { path: { tenantId: id } });
    notify(kind.done);
    onChange();
  });
  return (
    <>
      <button class={isActive ? 'danger' : ''} aria-disabled={change.isBusy} onClick={() => change.run()}>
        {isActive ? texts.suspend : texts.activate}
      </button>
      <ActError act={change} />
    </>
  );
}

function ChangeDomains({ tenant, onChange, onClose }: TenantProps & { readonly onClose: () => void }) {
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
        onChange();
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
