// The tenant of a new record, for accounts that belong to none.
import { useState } from 'preact/hooks';
import { listTenants } from '../../../client/src/operations.ts';
import { useQuery } from '../query.ts';
import { ChoiceField } from '../ui/choice-field.tsx';
import { Field } from '../ui/field.tsx';
import { useService } from '../ui/frame.tsx';
import { useConsole } from './context.ts';
import { consoleTexts } from './texts.ts';

/** More than this are typed. */
const MOST = 100;

interface TenantFieldProps {
  /** What no tenant means. By default, one must be chosen. */
  readonly none?: string;
  readonly hint?: string;
  readonly onChoose?: (tenantId: string) => void;
}

/** A choice among the tenants by their names, with the chosen one of the console first. */
export function TenantField({ none, hint, onChoose }: TenantFieldProps) {
  const { session } = useService();
  const { tenantId = '' } = useConsole();
  const [value, setValue] = useState(tenantId);
  const texts = consoleTexts();
  const { data: tenants } = useQuery(
    async (signal) => (await listTenants(session, { query: { perPage: MOST } }, { signal })).data,
    [],
    ['tenants'],
  );
  const choose = (chosen: string) => {
    setValue(chosen);
    onChoose?.(chosen);
  };
  if (tenants && tenants.length === MOST) {
    return (
      <Field
        name="tenantId"
        label={texts.tenant}
        hint={hint ?? texts.tenantIdHint}
        defaultValue={tenantId}
        required={none === undefined}
        maxLength={63}
        autocapitalize="off"
        spellcheck={false}
        onInput={({ currentTarget }) => onChoose?.(currentTarget.value.trim())}
      />
    );
  }
  const listed = (tenants ?? []).map(({ id, name }) => [id, name] as const);
  const chosen = tenantId === '' || listed.some(([id]) => id === tenantId) ? [] : [[tenantId, tenantId] as const];
  return (
    <ChoiceField
      name="tenantId"
      label={texts.tenant}
      hint={hint}
      value={value}
      options={[['', none ?? texts.chooseTenant], ...chosen, ...listed]}
      onChoose={choose}
    />
  );
}
