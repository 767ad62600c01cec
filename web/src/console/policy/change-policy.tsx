import { useState } from 'preact/hooks';
import { getTenantPolicy, updateTenantPolicy } from '../../../../client/src/operations.ts';
import { codeOf } from '../../errors.ts';
import { tagOf } from '../../service.ts';
import { ChoiceField } from '../../ui/choice-field.tsx';
import { Conflict, type Difference } from '../../ui/conflict.tsx';
import { Field, TextArea } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import type { Values } from '../../ui/form.tsx';
import { useService } from '../../ui/frame.tsx';
import { notify } from '../../ui/notices.tsx';
import { FIELDS, toText, type PolicyField, type VersionedPolicy } from './fields.ts';
import { policyTexts } from './texts.ts';

interface ChangePolicyProps {
  readonly tenantId: string;
  readonly name: PolicyField;
  readonly opened: VersionedPolicy;
  readonly onChange: () => void;
  readonly onClose: () => void;
}

/** Changes one value. If somebody else changed the policy meanwhile, both values are shown, and saving again decides. */
export function ChangePolicy({ tenantId, name, opened, onChange, onClose }: ChangePolicyProps) {
  const { session } = useService();
  const [tag, setTag] = useState(opened.tag);
  const [differences, setDifferences] = useState<readonly Difference[]>();
  const texts = policyTexts();
  const { parse } = FIELDS[name];
  const path = { tenantId };
  const leave = () => {
    onClose();
    onChange();
  };
  const showConflict = async (mine: string) => {
    const { data, headers } = await getTenantPolicy(session, { path });
    setTag(tagOf(headers));
    setDifferences([
      { label: texts[name], mine: describe(name, mine), saved: describe(name, toText(data.policy[name])) },
    ]);
  };
  const save = async ({ [name]: text = '' }: Values) => {
    try {
      await updateTenantPolicy(session, { path, headers: { 'if-match': tag }, body: { [name]: parse(text) } });
    } catch (error) {
      if (codeOf(error) === 'precondition-failed') return showConflict(text);
      throw error;
    }
    notify(texts.saved);
    leave();
  };
  return (
    <FormDialog title={texts[name]} action={texts.save} onClose={onClose} onSubmit={save}>
      {differences && <Conflict differences={differences} onDiscard={leave} />}
      <ValueField name={name} value={toText(opened.policy.policy[name])} />
      {name === 'secondFactor' && <p>{texts.secondFactorNote}</p>}
      {name === 'sessionsPerAccount' && <p>{texts.sessionsPerAccountNote}</p>}
    </FormDialog>
  );
}

/** Returns the value of a form as a text for people. */
function describe(name: PolicyField, text: string): string {
  const value = FIELDS[name].parse(text);
  return value === null ? policyTexts().ofService : FIELDS[name].format(value);
}

function ValueField({ name, value }: { readonly name: PolicyField; readonly value: string }) {
  const texts = policyTexts();
  const { options, hint, isNumber = false } = FIELDS[name];
  const common = { name, label: texts.ownValue, hint: hint?.() };
  if (options) return <ChoiceField {...common} value={value} options={[['', texts.ofService], ...options()]} />;
  if (!isNumber) return <TextArea {...common} value={value} maxLength={20_000} />;
  return <Field {...common} type="number" min={0} defaultValue={value} autofocus />;
}
