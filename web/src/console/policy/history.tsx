// The changes of a policy, each with an act that takes it back.
import {
  listTenantPolicyChanges,
  updateTenantPolicy,
  type PolicyChange,
  type Reply,
  type TenantPolicy,
} from '../../../../client/src/operations.ts';
import { formatDateTime } from '../../format.ts';
import { useList } from '../../list.ts';
import { tagOf } from '../../service.ts';
import { ActButton } from '../act-button.tsx';
import { reasonOf } from '../reason.tsx';
import { useService } from '../../ui/frame.tsx';
import { ListView } from '../../ui/list-view.tsx';
import { Name } from '../../ui/name.tsx';
import { Time } from '../../ui/time.tsx';
import { describe } from './change-policy.tsx';
import { FIELDS, toText, type PolicyField } from './fields.ts';
import { policyTexts } from './texts.ts';

interface HistoryProps {
  readonly tenantId: string;
  readonly versioned: Reply<TenantPolicy>;
}

export function History({ tenantId, versioned }: HistoryProps) {
  const { session } = useService();
  const path = { tenantId };
  const list = useList(
    [],
    ({ place }, signal) => listTenantPolicyChanges(session, { path, query: place }, { signal }),
    [tenantId],
    ['policy'],
  );
  const texts = policyTexts();
  return (
    <section>
      <h2>{texts.history}</h2>
      <ListView
        list={list}
        caption={texts.history}
        keyOf={({ at, to }) => at + JSON.stringify(to)}
        empty={<p>{texts.noHistory}</p>}
        columns={[
          { title: texts.at, cell: ({ at }) => <Time hasSeconds>{at}</Time> },
          { title: texts.by, cell: ({ by }) => <Name>{by && (by.username ?? by.id)}</Name> },
          { title: texts.changed, cell: (change) => <Changes change={change} /> },
          {
            title: texts.actions,
            isAct: true,
            cell: (change) => (
              <ActButton
                label={texts.undo}
                isSmall
                question={{
                  title: texts.undoTitle(formatDateTime(change.at)),
                  text: <Changes change={{ ...change, from: change.to, to: change.from }} />,
                  action: texts.undoAct,
                  hasReason: true,
                }}
                changes={['policy']}
                run={async (values) => {
                  const body = Object.fromEntries(
                    changedFields(change).map((name) => [name, change.from[name] ?? null]),
                  );
                  const headers = { 'if-match': tagOf(versioned.headers) };
                  await updateTenantPolicy(session, { path, headers, body: { ...body, ...reasonOf(values) } });
                  return texts.undone;
                }}
              />
            ),
          },
        ]}
      />
    </section>
  );
}

const changedFields = ({ from, to }: Pick<PolicyChange, 'from' | 'to'>): readonly PolicyField[] =>
  (Object.keys(FIELDS) as PolicyField[]).filter((name) => toText(from[name]) !== toText(to[name]));

function Changes({ change }: { readonly change: Pick<PolicyChange, 'from' | 'to'> }) {
  const texts = policyTexts();
  return (
    <ul class="lines">
      {changedFields(change).map((name) => (
        <li key={name}>
          {texts[name]}: <Name>{texts.fromTo(describe(name, change.from[name]), describe(name, change.to[name]))}</Name>
        </li>
      ))}
    </ul>
  );
}
