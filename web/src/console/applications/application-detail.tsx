import { useState } from 'preact/hooks';
import { getApplication, type Application } from '../../../../client/src/operations.ts';
import { useQuery } from '../../query.ts';
import { tagOf } from '../../service.ts';
import { Fact, Facts } from '../../ui/facts.tsx';
import { useService } from '../../ui/frame.tsx';
import { Name } from '../../ui/name.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Time } from '../../ui/time.tsx';
import { ConsoleFrame } from '../console-frame.tsx';
import { useConsole } from '../context.ts';
import { ApplicationActs } from './application-acts.tsx';
import { ApplicationPreview } from './application-preview.tsx';
import { ApplicationSecrets } from './application-secrets.tsx';
import { ApplicationStatus } from './application-status.tsx';
import { ChangeApplication } from './change-application.tsx';
import { describe, FIELDS, fieldsOf, type FieldName, type Section, type VersionedApplication } from './fields.ts';
import { HowToConnect } from './how-to-connect.tsx';
import { Logo } from './logo-field.tsx';
import { applicationTexts } from './texts.ts';

/** The application that is a part of the service. */
const COMMAND_LINE = 'authservice-cli';

const SECTIONS: readonly Section[] = ['basics', 'access', 'tokens'];

export function ApplicationDetail({ id }: { readonly id: string }) {
  const { session } = useService();
  const { choosesTenant, holds } = useConsole();
  const query = useQuery(
    async (signal): Promise<VersionedApplication> => {
      const { data, headers } = await getApplication(session, { path: { id } }, { signal });
      return { application: data, tag: tagOf(headers) };
    },
    [id],
  );
  return (
    <ConsoleFrame title={query.data?.application.name ?? applicationTexts().application}>
      <QueryView query={query}>
        {(versioned) => {
          const { application } = versioned;
          const isOwn = choosesTenant || (!application.shared && !application.firstParty);
          const canChange = isOwn && application.clientId !== COMMAND_LINE;
          const part = { versioned, canChange, onChange: query.reload };
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
                <Deliveries application={application} />
              )}
            </>
          );
        }}
      </QueryView>
    </ConsoleFrame>
  );
}

/** Loaded when it is shown: most applications have none. */
function Deliveries({ application }: { readonly application: Application }) {
  const query = useQuery(() => import('./application-deliveries.tsx'), []);
  return (
    <QueryView query={query}>
      {({ ApplicationDeliveries }) => <ApplicationDeliveries application={application} />}
    </QueryView>
  );
}

interface PartProps {
  readonly versioned: VersionedApplication;
  readonly canChange: boolean;
  readonly onChange: () => void;
}

function Overview({ versioned: { application }, canChange, onChange }: PartProps) {
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
        <Fact label={texts.tenant}>{tenantId === undefined ? texts.allTenants : <code>{tenantId}</code>}</Fact>
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
      {canChange ? (
        <ApplicationActs application={application} onChange={onChange} />
      ) : (
        <p class="quiet-text">{texts.readOnly}</p>
      )}
    </div>
  );
}

function Fields({ section, versioned, canChange, onChange }: PartProps & { readonly section: Section }) {
  const [isChanging, setChanging] = useState(false);
  const texts = applicationTexts();
  const { application } = versioned;
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
      {isChanging && (
        <ChangeApplication
          section={section}
          versioned={versioned}
          onChange={onChange}
          onClose={() => setChanging(false)}
        />
      )}
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
