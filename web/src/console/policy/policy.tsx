// The policy of a tenant: each value in force, and where it is from.
import { useState } from 'preact/hooks';
import { getTenantPolicy, type Reply, type TenantPolicy } from '../../../../client/src/operations.ts';
import { formatDuration } from '../../format.ts';
import { useQuery } from '../../query.ts';
import { Alert } from '../../ui/alert.tsx';
import { useService } from '../../ui/frame.tsx';
import { Name } from '../../ui/name.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Table } from '../../ui/table.tsx';
import { ConsoleFrame } from '../console-frame.tsx';
import { useConsole } from '../context.ts';
import { TenantNeeded } from '../tenant-choice.tsx';
import { ChangePolicy } from './change-policy.tsx';
import { FIELDS, SECTIONS, sourceOf, type PolicyField } from './fields.ts';
import { History } from './history.tsx';
import { policyTexts } from './texts.ts';

export default function Policy() {
  const { tenantId } = useConsole();
  const texts = policyTexts();
  if (tenantId !== undefined) return <PolicyOf key={tenantId} tenantId={tenantId} />;
  return (
    <ConsoleFrame title={texts.title}>
      <p>{texts.intro}</p>
      <TenantNeeded>{texts.chooseTenant}</TenantNeeded>
    </ConsoleFrame>
  );
}

function PolicyOf({ tenantId }: { readonly tenantId: string }) {
  const { session } = useService();
  const [isChanging, setChanging] = useState(false);
  const query = useQuery(
    (signal) => getTenantPolicy(session, { path: { tenantId } }, { signal }),
    [tenantId],
    ['policy'],
  );
  const texts = policyTexts();
  const versioned = query.data;
  return (
    <ConsoleFrame
      title={texts.title}
      actions={
        versioned && (
          <button class="primary" onClick={() => setChanging(true)}>
            {texts.changePolicy}
          </button>
        )
      }
    >
      <p>{texts.intro}</p>
      <QueryView query={query}>{(reply) => <Sections tenantId={tenantId} versioned={reply} />}</QueryView>
      {isChanging && versioned && (
        <ChangePolicy tenantId={tenantId} versioned={versioned} onClose={() => setChanging(false)} />
      )}
    </ConsoleFrame>
  );
}

interface SectionsProps {
  readonly tenantId: string;
  readonly versioned: Reply<TenantPolicy>;
}

function Sections({ tenantId, versioned }: SectionsProps) {
  const { data } = versioned;
  const texts = policyTexts();
  const { accessTokenTtl, sessionIdleWindow } = data.effective;
  return (
    <div class="record">
      {sessionIdleWindow < 2 * accessTokenTtl && (
        <Alert kind="warning">{texts.idleTooShort(formatDuration(2 * accessTokenTtl))}</Alert>
      )}
      {SECTIONS.map(([section, names]) => (
        <section key={section}>
          <h2>{texts[section]}</h2>
          <Table<PolicyField>
            caption={texts[section]}
            items={names}
            keyOf={(name) => name}
            columns={[
              { title: texts.field, cell: (name) => texts[name] },
              {
                title: texts.value,
                cell: (name) => (
                  <div>
                    <strong>
                      <Name>{FIELDS[name].format(data.effective[name])}</Name>
                    </strong>
                    <div class="quiet-text">{sourceOf(data, name)}</div>
                  </div>
                ),
              },
            ]}
          />
        </section>
      ))}
      <History tenantId={tenantId} versioned={versioned} />
    </div>
  );
}
