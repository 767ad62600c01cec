import { useState } from 'preact/hooks';
import { getApplication, type Application, type Reply } from '../../../../client/src/operations.ts';
import { useQuery } from '../../query.ts';
import { Fact, Facts } from '../../ui/facts.tsx';
import { useService } from '../../ui/frame.tsx';
import { Name } from '../../ui/name.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Time } from '../../ui/time.tsx';
import { ConsoleFrame } from '../console-frame.tsx';
import { useConsole } from '../context.ts';
import { lazyDialog, lazyPart } from '../lazy.tsx';
import { TenantName } from '../tenant-name.tsx';
import { ApplicationActs } from './application-acts.tsx';
import { ApplicationPreview } from './application-preview.tsx';
import { ApplicationStatus } from './application-status.tsx';
import { describe, FIELDS, fieldsOf, type FieldName, type Section } from './fields.ts';
import { Logo } from './logo-field.tsx';
import { applicationTexts } from './texts.ts';

const ApplicationDeliveries = lazyPart(
  async () => (await import('./application-deliveries.tsx')).ApplicationDeliveries,
);
const ApplicationSecrets = lazyPart(async () => (await import('./application-secrets.tsx')).ApplicationSecrets);
const ChangeApplication = lazyDialog(async () => (await import('./change-application.tsx')).ChangeApplication);
const HowToConnect = lazyPart(async () => (await import('./how-to-connect.tsx')).HowToConnect);

/** The application that is a part of the service. */
const COMMAND_LINE = 'authservice-cli';

const SECTIONS: readonly Section[] = ['basics', 'access', 'tokens'];

export function ApplicationDetail({ id }: { readonly id: string }) {
  const { session } = useService();
  const { choosesTenant, holds } = useConsole();
  const query = useQuery((signal) => getApplication(session, { path: { id } }, { signal }), [id], ['applications']);
  return (
    <ConsoleFrame title={query.data?.data.name ?? applicationTexts().application}>
      <QueryView query={query}>
        {(versioned) => {
          const application = versioned.data;
          const isOwn = choosesTenant || (!application.shared && !application.firstParty);
          const canChange = isOwn && application.clientId !== COMMAND_LINE;
          const part = { versioned, canChange };
          return (
            <>
              <Overview {...part} />
              <HowToConnect application={application} />
              {application.type === 'WEB' && application.jwks === undefined && (
                <ApplicationSecrets application={application} canChange={canChange} />
              )}
              {holds('MANAGE_USERS') && <ApplicationPreview application={application} />}
              {SECTIONS.map((section) => (
                <Fields key={section} section={section} {...part} />
              ))}
              {application.backchannelLogoutUri !== undefined && (choosesTenant || !application.shared) && (
                <ApplicationDeliveries application={application} />
              )}
            </>
          );
        }}
      </QueryView>
    </ConsoleFrame>
  );
}

interface PartProps {
  readonly versioned: Reply<Application>;
  readonly canChange: boolean;
}

function Overview({ versioned: { data: application }, canChange }: PartProps) {
  const texts = applicationTexts();
  const { id, clientId, type, tenantId, createdAt, updatedAt } = application;
  return (
    <div class="record">
      <Facts>
        <Fact label={texts.clientId}>
          <code>{clientId}</code>
        </Fact>
        <Fact label={texts.type}>{texts[type]}</Fact>
        <Fact label={texts.status}>
          <ApplicationStatus disabled={application.disabled} />
        </Fact>
        <Fact label={texts.tenant}>{tenantId === undefined ? texts.allTenants : <TenantName id={tenantId} />}</Fact>
        <Fact label={texts.created}>
          <Time>{createdAt}</Time>
        </Fact>
        <Fact label={texts.updated}>
          <Time>{updatedAt}</Time>
        </Fact>
        <Fact label={texts.id}>
          <code>{id}</code>
        </Fact>
      </Facts>
      {canChange ? <ApplicationActs application={application} /> : <p class="quiet-text">{texts.readOnly}</p>}
    </div>
  );
}

function Fields({ section, versioned, canChange }: PartProps & { readonly section: Section }) {
  const [isChanging, setChanging] = useState(false);
  const texts = applicationTexts();
  const application = versioned.data;
  return (
    <section class="part narrow-part">
      <div class="title">
        <h2>{texts[section]}</h2>
        {canChange && (
          <button aria-label={texts.changeOf(texts[section])} onClick={() => setChanging(true)}>
            {texts.change}
          </button>
        )}
      </div>
      <Facts>
        {fieldsOf(section, application.type).map((name) => (
          <Fact key={name} label={texts[name]}>
            <Value name={name} application={application} />
          </Fact>
        ))}
      </Facts>
      {isChanging && <ChangeApplication section={section} versioned={versioned} onClose={() => setChanging(false)} />}
    </section>
  );
}

function Value({ name, application }: { readonly name: FieldName; readonly application: Application }) {
  const value = application[name];
  const { kind } = FIELDS[name];
  if (kind === 'logo' && application.logo !== undefined) return <Logo base64={application.logo} />;
  if (kind !== 'lines' || (value as readonly string[]).length === 0) return <Name>{describe(name, value)}</Name>;
  return (
    <ul class="lines">
      {(value as readonly string[]).map((line) => (
        <li key={line}>
          <code>{line}</code>
        </li>
      ))}
    </ul>
  );
}
