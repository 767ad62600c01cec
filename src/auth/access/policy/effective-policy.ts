// The values in force for a tenant: its own ones and the service's, the stricter of both. Pure functions.
import { hash } from 'node:crypto';
import type { Params } from '../../../platform/template.ts';
import { OF_TENANT } from '../findings.ts';
import {
  POLICY_FIELD_NAMES,
  POLICY_FIELDS,
  type OwnPolicy,
  type Policy,
  type PolicyFault,
  type PolicyFieldName,
} from './policy-fields.ts';

/** The policy of a tenant. */
export interface TenantPolicy {
  readonly own: OwnPolicy;
  readonly service: Policy;
  readonly effective: Policy;
}

/** Reads the stored values. Values of another type or of unknown fields count as missing. */
export function readOwnPolicy(stored: unknown): OwnPolicy {
  if (typeof stored !== 'object' || stored === null) return {};
  const values = POLICY_FIELD_NAMES.map((name) => [name, readField(name, stored as Record<string, unknown>)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function readField(name: PolicyFieldName, stored: Readonly<Record<string, unknown>>): unknown {
  return Object.hasOwn(stored, name) ? POLICY_FIELDS[name].read(stored[name]) : undefined;
}

/** Returns the values in force. No value is looser than the service's, whatever the tenant's values are. */
export function effectivePolicy(service: Policy, own: OwnPolicy): Policy {
  const entries = POLICY_FIELD_NAMES.map((name) => [name, stricterOf(name, service, own)]);
  return Object.fromEntries(entries) as Policy;
}

function stricterOf<Name extends PolicyFieldName>(name: Name, service: Policy, own: OwnPolicy): Policy[Name] {
  const value = own[name];
  return value === undefined ? service[name] : POLICY_FIELDS[name].stricter(value, service[name]);
}

/** Returns why a tenant may not have these values of its own, by field. */
export function policyFaults(
  service: Policy,
  own: OwnPolicy,
): readonly (PolicyFault & { readonly field: PolicyFieldName })[] {
  return POLICY_FIELD_NAMES.flatMap((field) => {
    const fault = faultOf(field, service, own);
    return fault ? [{ ...fault, field }] : [];
  });
}

/** Joins a value with its field, so that their types fit. */
function faultOf<Name extends PolicyFieldName>(
  name: Name,
  values: Pick<Policy, Name>,
  { [name]: value }: OwnPolicy,
): PolicyFault | undefined {
  return value === undefined ? undefined : POLICY_FIELDS[name].findFault(value, values[name]);
}

/**
 * Returns the version of a policy, from 1 to 15 digits. It depends on the values only, those of the service included: a change
 * of a setting changes what callers see, too.
 */
export function policyVersion({ own, service }: Pick<TenantPolicy, 'own' | 'service'>): number {
  const digest = hash('sha256', JSON.stringify([own, service]), 'buffer');
  return (digest.readUIntBE(0, 6) % 999_999_999_999_999) + 1;
}

/** Returns values in force and where they come from, as parameters of findings. */
export function policyParams({ own, effective }: TenantPolicy, ...names: readonly PolicyFieldName[]): Params {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = effective[name];
      // A list of its own is always in force, even if the service no longer has some of its items.
      const isOwn = own[name] !== undefined && (own[name] === value || typeof value === 'object');
      return [
        [name, toText(value)],
        [`${name}Source`, isOwn ? OF_TENANT : POLICY_FIELDS[name].setting],
      ];
    }),
  );
}

function toText(value: Policy[PolicyFieldName]): string {
  if (typeof value !== 'object') return `${value ?? 'none'}`;
  const origins = value.anyLoopbackPort ? [...value.origins, ...ANY_LOOPBACK_PORT] : value.origins;
  return origins.join(' ') || 'none';
}

const ANY_LOOPBACK_PORT = ['http://localhost:*', 'http://127.0.0.1:*'];
