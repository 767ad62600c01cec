// The policy of a tenant: each value in force, and where it is from.
import { useState } from 'preact/hooks';
import { getTenantPolicy } from '../../../../client/src/operations.ts';
import { useQuery } from '../../query.ts';
import { tagOf } from '../../service.ts';
import { useService } from '../../ui/frame.tsx';
import { Name } from '../../ui/name.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { ConsoleFrame } from '../console-frame.tsx';
import { useConsole } from '../context.ts';
import { TenantNeeded } from '../tenant-choice.tsx';
import { ChangePolicy } from './change-policy.tsx';
import { FIELD_NAMES, FIELDS, toText, type PolicyField, type VersionedPolicy } from './fields.ts';
import { policyTexts } from './texts.ts';

export default function Policy() {
  const { tenantId } = useConsole();
  const texts = policyTexts();
  return (
    <ConsoleFrame title={texts.title}>
      <p>{texts.intro}</p>
      {tenantId === undefined ? (
        <TenantNeeded>{texts.chooseTenant}</TenantNeeded>
      ) : (
        <PolicyOf key={tenantId} tenantId={tenantId} />
      )}
    </ConsoleFrame>
  );
}

function PolicyOf({ tenantId }: { readonly tenantId: string }) {
  const { session } = useService();
  const query = useQuery(
    async (signal): Promise<VersionedPolicy> => {
      const { data, headers } = await getTenantPolicy(session, { path: { tenantId } }, { signal });
      return { policy: data, tag: tagOf(headers) };
    },
    [tenantId],
  );
  return (
    <QueryView query={query}>
      {(versioned) => <PolicyTable tenantId={tenantId} versioned={versioned} onChange={query.reload} />}
    </QueryView>
  );
}

interface PolicyTableProps {
  readonly tenantId: string;
  readonly versioned: VersionedPolicy;
  readonly onChange: () => void;
}

function PolicyTable({ tenantId, versioned, onChange }: PolicyTableProps) {
  const [changing, setChanging] = useState<PolicyField>();
  const { policy, effective, service } = versioned.policy;
  const texts = policyTexts();
  const sourceOf = (name: PolicyField): string => {
    const own = policy[name];
    if (own === undefined) return texts.ofService;
    return toText(own) === toText(effective[name]) ? texts.ofTenant : texts.serviceIsStricter;
  };
  const columns: readonly Column<PolicyField>[] = [
    { title: texts.field, cell: (name) => texts[name] },
    {
      title: texts.inForce,
      cell: (name) => (
        <div>
          <strong>
            <Name>{FIELDS[name].format(effective[name])}</Name>
          </strong>
          <div class="quiet-text">{sourceOf(name)}</div>
        </div>
      ),
    },
    {
      title: texts.tenant,
      cell: (name) => <Name>{policy[name] === undefined ? undefined : FIELDS[name].format(policy[name])}</Name>,
    },
    { title: texts.service, cell: (name) => <Name>{FIELDS[name].format(service[name])}</Name> },
    {
      title: texts.actions,
      isAct: true,
      cell: (name) => (
        <button aria-label={texts.changeOf(texts[name])} onClick={() => setChanging(name)}>
          {texts.change}
        </button>
      ),
    },
  ];
  return (
    <>
      <Table caption={texts.title} columns={columns} items={FIELD_NAMES} keyOf={(name) => name} />
      {changing && (
        <ChangePolicy
          tenantId={tenantId}
          name={changing}
          opened={versioned}
          onChange={onChange}
          onClose={() => setChanging(undefined)}
        />
      )}
    </>
  );
}
