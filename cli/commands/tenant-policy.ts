// The commands on the policy of a tenant.
import {
  PolicyEffect,
  SecondFactorPolicy,
  TenancyServiceService,
  type EffectivePolicy,
  type PolicyFields,
  type TenantPolicy,
} from '../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import { POLICY_FIELD_NAMES, type PolicyFieldName } from '../../src/auth/access/policy/policy-fields.ts';
import { enumNames } from '../../src/platform/formats/enum-names.ts';
import type { Command, Values } from '../command.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { listCommand, REASON } from './lists.ts';

const TENANT = { '<tenant>': 'the id of the tenant' };
const FIELDS = POLICY_FIELD_NAMES.join(', ');
const CHANGES = 'field=value, or field=null for the value of the service';
const NOTES = `The fields: ${FIELDS}. Durations in seconds, origins separated by commas.`;
const EFFECTS = enumNames(PolicyEffect, 'POLICY_EFFECT_');

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
    name: 'tenant policy preview',
    summary: 'show whom a change would affect, without storing it',
    uses: 'core',
    arguments: { ...TENANT, '<changes...>': CHANGES },
    notes: NOTES,
    async run({ core, values }) {
      const { previewTenantPolicy } = (await core()).client(TenancyServiceService);
      const { when, ...counts } = await previewTenantPolicy(changeOf(values));
      return { value: { ...counts, when: EFFECTS.nameOf(when) } };
    },
  },
  listCommand({
    name: 'tenant policy history',
    summary: 'list the changes of the policy, the newest first',
    uses: 'core',
    arguments: TENANT,
    columns: ['at', 'by', 'from', 'to'],
    read(core, values) {
      const tenantId = values.required('tenant');
      return (page) => core.client(TenancyServiceService).listTenantPolicyChanges({ page, tenantId });
    },
    items: ({ changes }) =>
      changes.map(({ from, to, ...change }) => ({ ...change, from: givenOf(from!), to: givenOf(to!) })),
    rows: async (_core, changes) =>
      changes.map(({ at, by, from, to }) => ({
        at,
        by: by?.username ?? by?.id,
        from: JSON.stringify(from),
        to: JSON.stringify(to),
      })),
  }),
  {
    name: 'tenant policy set',
    summary: 'make a tenant stricter than the service',
    uses: 'core',
    arguments: { ...TENANT, '<changes...>': CHANGES },
    options: REASON,
    notes: NOTES,
    async run({ core, values }) {
      const { updateTenantPolicy } = (await core()).client(TenancyServiceService);
      const { policy } = await updateTenantPolicy({ ...changeOf(values), reason: values.text('reason') });
      return resultOf(policy!);
    },
  },
];

/** Returns the change that the arguments describe. */
function changeOf(values: Values) {
  const changes = values.list('changes').map(parseChange);
  return {
    tenantId: values.required('tenant'),
    policy: { ...NO_VALUES, ...Object.fromEntries(changes.filter(([, value]) => value !== undefined)) },
    updateMask: changes.map(([name]) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
  };
}

/** Returns the values that a tenant gives. */
function givenOf({ allowedOrigins, ...values }: PolicyFields) {
  return { ...withNames(values), ...(allowedOrigins.length > 0 && { allowedOrigins }) };
}

const NO_VALUES: PolicyFields = { allowedOrigins: [] };

const SECOND_FACTOR = enumNames(SecondFactorPolicy, 'SECOND_FACTOR_POLICY_');

type Change = readonly [name: PolicyFieldName, value: number | boolean | string | readonly string[] | undefined];

function parseChange(text: string): Change {
  const [given = '', ...rest] = text.split('=');
  const value = rest.join('=');
  const name = POLICY_FIELD_NAMES.find((known) => known === given);
  if (name === undefined) throw new CommandFailure(`${given}: not a field; give one of ${FIELDS}`, EXIT.usage);
  if (value === 'null') return [name, undefined];
  const parsed = (PARSE[name] ?? parseNumber)(value);
  if (parsed === undefined)
    throw new CommandFailure(`${name}: give ${name}=VALUE, or ${name}=null for the value of the service`, EXIT.usage);
  return [name, parsed];
}

const parseNumber = (value: string) => (/^\d{1,9}$/.test(value) ? Number(value) : undefined);

/** The fields that are not numbers. */
const PARSE: Partial<Record<PolicyFieldName, (value: string) => Change[1]>> = {
  recovery: parseFlag,
  passkeyLogin: parseFlag,
  sharedApplications: parseFlag,
  language: (value) => value || undefined,
  allowedOrigins: (value) => (value === '' ? undefined : value.split(',')),
  secondFactor: (value) => SECOND_FACTOR.valueOf(SECOND_FACTOR.names.find((name) => name === value)) || undefined,
};

function parseFlag(text: string): boolean | undefined {
  return { true: true, false: false }[text];
}

/** A person sees a line for each field, with its source. */
function resultOf({ policy, effective, service }: TenantPolicy) {
  const own: Readonly<Record<string, unknown>> = withNames(policy!);
  const inForce: Readonly<Record<string, unknown>> = withNames(effective!);
  const rows = POLICY_FIELD_NAMES.map((field) => {
    const isOwn = Array.isArray(own[field]) ? own[field].length > 0 : own[field] !== undefined;
    return { field, value: inForce[field] ?? 'none', source: isOwn ? 'tenant' : 'service' };
  });
  return {
    value: { policy: own, effective: inForce, service: withNames(service!) },
    columns: ['field', 'value', 'source'],
    rows,
  };
}

/** Shows enums by name. */
function withNames({ secondFactor, ...values }: Partial<PolicyFields | EffectivePolicy>) {
  const name = secondFactor && SECOND_FACTOR.nameOf(secondFactor);
  return { ...values, ...(name && { secondFactor: name }) };
}
