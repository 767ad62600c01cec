import { useRef } from 'preact/hooks';
import {
  getTenantPolicy,
  previewTenantPolicy,
  updateTenantPolicy,
  type PreviewTenantPolicyResponse,
  type Reply,
  type TenantPolicy,
} from '../../../../client/src/operations.ts';
import { PageError } from '../../errors.ts';
import { formatNumber } from '../../format.ts';
import { ChangeForm } from '../change-form.tsx';
import { ChoiceField } from '../../ui/choice-field.tsx';
import { Field, TextArea } from '../../ui/field.tsx';
import { useService } from '../../ui/frame.tsx';
import { changesOf, FIELDS, SECTIONS, sourceOf, toText, UNITS, unitOf, unitField, type PolicyField } from './fields.ts';
import { policyTexts } from './texts.ts';

interface ChangePolicyProps {
  readonly tenantId: string;
  readonly versioned: Reply<TenantPolicy>;
  readonly onClose: () => void;
}

/** Changes several values at once. Only those that were changed are sent. */
export function ChangePolicy({ tenantId, versioned, onClose }: ChangePolicyProps) {
  const { session } = useService();
  const texts = policyTexts();
  const path = { tenantId };
  const confirmed = useRef<string>(undefined);
  return (
    <ChangeForm
      title={texts.changePolicy}
      action={texts.save}
      opened={versioned}
      onClose={onClose}
      read={(values) => changesOf(versioned.data.policy, values)}
      save={async (body, headers, reason) => {
        const key = JSON.stringify(body);
        const { data } = await previewTenantPolicy(session, { path, body });
        const effects = describeEffects(data);
        // Saving once more confirms what it says.
        if (effects !== undefined && confirmed.current !== key) {
          confirmed.current = key;
          throw new PageError(effects);
        }
        return updateTenantPolicy(session, { path, headers, body: { ...body, ...reason } });
      }}
      load={() => getTenantPolicy(session, { path })}
      compare={(mine, saved) =>
        (Object.keys(mine) as PolicyField[]).map((name) => ({
          label: texts[name],
          mine: describe(name, mine[name]),
          saved: describe(name, saved.policy[name]),
        }))
      }
      done={texts.saved}
      changes={['policy']}
    >
      <p>{texts.changeText}</p>
      {SECTIONS.map(([section, names]) => (
        <fieldset key={section}>
          <legend>{texts[section]}</legend>
          <div class="fields">
            {names.map((name) => (
              <ValueField key={name} name={name} policy={versioned.data} />
            ))}
          </div>
        </fieldset>
      ))}
    </ChangeForm>
  );
}

/** Returns whom a change affects; undefined if nobody. */
function describeEffects(effects: PreviewTenantPolicyResponse): string | undefined {
  const { sessionsEnded, usersWithoutFactor, passwordsUnaffected, when } = effects;
  const texts = policyTexts();
  const found = [
    ...(sessionsEnded > 0 ? [texts.endsSessions(formatNumber(sessionsEnded))] : []),
    ...(usersWithoutFactor > 0 ? [texts.lackFactor(formatNumber(usersWithoutFactor))] : []),
    ...(passwordsUnaffected > 0 ? [texts.keepPasswords(formatNumber(passwordsUnaffected))] : []),
  ];
  return found.length === 0 ? undefined : [...found, texts[when], texts.saveAgain].join(' ');
}

/** Returns a value of the tenant for people. */
export const describe = (name: PolicyField, value: Parameters<typeof toText>[0]): string =>
  value === undefined || value === null ? policyTexts().ofService : FIELDS[name].format(value);

/** The field of a value. Its hint is what is in force, and where that is from. */
function ValueField({ name, policy }: { readonly name: PolicyField; readonly policy: TenantPolicy }) {
  const texts = policyTexts();
  const { kind, options, note } = FIELDS[name];
  const value = policy.policy[name];
  const inForce = texts.inForce(FIELDS[name].format(policy.effective[name]));
  const hint = [inForce, sourceOf(policy, name), note?.()].filter(Boolean).join(' ');
  const common = { name, label: texts[name], hint };
  switch (kind) {
    case 'choice':
      return <ChoiceField {...common} value={toText(value)} options={[['', texts.ofService], ...options!()]} />;
    case 'lines':
      return <TextArea {...common} value={toText(value)} maxLength={20_000} />;
    case 'count':
      return <Field {...common} type="number" min={0} defaultValue={toText(value)} />;
    default: {
      const seconds = typeof value === 'number' ? value : undefined;
      // Without an own value, the unit is the one of the value in force.
      const unit = unitOf(seconds ?? Number(policy.effective[name] ?? 0));
      return (
        <div class="with-unit">
          <Field {...common} type="number" min={0} defaultValue={seconds === undefined ? '' : String(seconds / unit)} />
          <ChoiceField
            name={unitField(name)}
            label={texts.unitOf(texts[name])}
            value={String(unit)}
            options={UNITS.map(([length, unitName]) => [String(length), texts[unitName]])}
          />
        </div>
      );
    }
  }
}
