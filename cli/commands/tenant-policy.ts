// The commands on the policy of a tenant.
import {
  TenancyServiceService,
  type PolicyFields,
  type TenantPolicy,
} from '../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import { POLICY_FIELD_NAMES, type PolicyFieldName } from '../../src/auth/policy/policy-fields.ts';
import type { Command } from '../command.ts';
import { CommandFailure, EXIT } from '../failure.ts';

const TENANT = { '<tenant>': 'the id of the tenant' };
const FIELDS = POLICY_FIELD_NAMES.join(', ');

export const TENANT_POLICY_COMMANDS: readonly Command[] = [
  {
    name: 'tenant policy show',
    summary: 'show the policy of a tenant',
    uses: 'core',
    arguments: TENANT,
    async run({ core, values }) {
      const { getTenantPolicy } = (await core()).client(TenancyServiceService);
      const { policy } = await getTenantPolicy({ tenantId: values.required('tenant') });
      return resultOf(policy!);
    },
  },
  {
    name: 'tenant policy set',
    summary: 'make a tenant stricter than the service',
    uses: 'core',
    arguments: { ...TENANT, '<changes...>': 'field=value, or field=null for the value of the service' },
    notes: `The fields: ${FIELDS}. Durations in seconds, origins separated by commas.`,
    async run({ core, values }) {
      const changes = values.list('changes').map(parseChange);
      const { updateTenantPolicy } = (await core()).client(TenancyServiceService);
      const { policy } = await updateTenantPolicy({
        tenantId: values.required('tenant'),
        policy: { ...NO_VALUES, ...Object.fromEntries(changes.filter(([, value]) => value !== undefined)) },
        updateMask: changes.map(([name]) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
      });
      return resultOf(policy!);
    },
  },
];

const NO_VALUES: PolicyFields = { allowedOrigins: [] };

type Change = readonly [name: PolicyFieldName, value: number | boolean | string | readonly string[] | undefined];

function parseChange(text: string): Change {
  const [given = '', ...rest] = text.split('=');
  const value = rest.join('=');
  const name = POLICY_FIELD_NAMES.find((known) => known === given);
  if (name === undefined) throw new CommandFailure(`${given}: not a field; give one of ${FIELDS}`, EXIT.usage);
  if (value === 'null') return [name, undefined];
  const parsed = PARSERS[name]?.(value) ?? (name in PARSERS || !/^\d{1,9}$/.test(value) ? undefined : Number(value));
  if (parsed === undefined)
    throw new CommandFailure(`${name}: give ${name}=VALUE, or ${name}=null for the value of the service`, EXIT.usage);
  return [name, parsed];
}

/** Parsers of the fields that are not numbers. They return undefined for a value that is not one. */
const PARSERS: Partial<Record<PolicyFieldName, (text: string) => Change[1]>> = {
  allowedOrigins: (text) => (text === '' ? undefined : text.split(',')),
  recovery: (text) => ({ true: true, false: false })[text],
  language: (text) => text || undefined,
};

/** A person sees a line for each field, with its source. */
function resultOf({ policy, effective }: TenantPolicy) {
  const own: Readonly<Record<string, unknown>> = { ...policy };
  const inForce: Readonly<Record<string, unknown>> = { ...effective };
  const rows = POLICY_FIELD_NAMES.map((field) => {
    const isOwn = Array.isArray(own[field]) ? own[field].length > 0 : own[field] !== undefined;
    return { field, value: inForce[field] ?? 'none', source: isOwn ? 'tenant' : 'service' };
  });
  return { value: { policy, effective }, columns: ['field', 'value', 'source'], rows };
}
