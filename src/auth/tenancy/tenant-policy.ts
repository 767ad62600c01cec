// The policy of a tenant: reading and changing it. src/auth/access/policy says what its values mean.
import { Permission } from '../../../proto/gen/authservice/access/v1/access.ts';
import {
  SecondFactorPolicy,
  type EffectivePolicy,
  type GetTenantPolicyRequest,
  type GetTenantPolicyResponse,
  type PolicyFields,
  type TenantPolicy as TenantPolicyMessage,
  type UpdateTenantPolicyRequest,
  type UpdateTenantPolicyResponse,
} from '../../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import type { Statements } from '../../platform/db/types.ts';
import { ServiceError } from '../../platform/errors.ts';
import { enumNames } from '../../platform/formats/enum-names.ts';
import { createRequestViolations } from '../../platform/rpc/request-violations.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import { policyFaults, policyVersion, readOwnPolicy, type TenantPolicy } from '../access/policy/effective-policy.ts';
import type { Policies } from '../access/policy/policies.ts';
import {
  POLICY_FIELD_NAMES,
  type OwnPolicy,
  type Policy,
  type PolicyFieldName,
} from '../access/policy/policy-fields.ts';
import type { Call } from '../access/principal.ts';
import { beginDefinitionsChange } from './lock-tenant.ts';
import { updateTenantPolicy } from './tenant-store.ts';
import { existingTenant, type TenantDependencies } from './tenants.ts';

export interface TenantPolicyDependencies extends TenantDependencies {
  readonly policies: Policies;
}

/** TenancyService.GetTenantPolicy. */
export function createGetTenantPolicy({ database, policies }: TenantPolicyDependencies) {
  return loadThenHandle(
    findTenantId(database),
    async (_request: GetTenantPolicyRequest, _call, tenantId): Promise<GetTenantPolicyResponse> => ({
      policy: policyMessage(await policies.load(tenantId)),
    }),
  );
}

/** TenancyService.UpdateTenantPolicy. All processes read the policy again with the next account of the tenant. */
export function createUpdateTenantPolicy({ database, policies, audit, clock }: TenantPolicyDependencies) {
  return loadThenHandle(
    findTenantId(database),
    async (request: UpdateTenantPolicyRequest, call, tenantId): Promise<UpdateTenantPolicyResponse> => {
      const { precondition, updateMask } = request;
      const changes = maskedValues(request.policy ?? {}, updateMask!);
      assertNotLooser(policies, changes);
      const policy = await audit.commit(call, async (tx, record) => {
        await beginDefinitionsChange(database, tx, { tenantId, now: clock(), deadline: call.deadline });
        const actor = await call.recheck(tx);
        if (!actor?.permissions.has(Permission.PERMISSION_MANAGE_POLICY)) throw new ServiceError('PERMISSION_DENIED');
        const before = await policies.load(tenantId, tx);
        assertVersion(precondition?.versions, before);
        const own = readOwnPolicy({ ...before.own, ...changes });
        const [from, to] = [before.own, own].map((values) => JSON.stringify(values)) as [string, string];
        if (from === to) return before;
        await updateTenantPolicy(tx, tenantId, to);
        record({
          event: 'tenant.policy-changed',
          tenantId,
          actorId: call.principal!.account.id,
          details: { from, to },
        });
        return policies.load(tenantId, tx);
      });
      return { policy: policyMessage(policy) };
    },
  );
}

/** Finds the tenant of a request within the caller's scope. Throws NOT_FOUND. */
export function findTenantId(database: Statements) {
  return async ({ tenantId }: { readonly tenantId: string }, { principal }: Call): Promise<string> => {
    const { account, permissions } = principal!;
    const isInScope =
      account.tenantId === undefined
        ? permissions.has(Permission.PERMISSION_MANAGE_TENANTS)
        : account.tenantId === tenantId;
    if (!isInScope) throw new ServiceError('NOT_FOUND');
    return (await existingTenant(database, tenantId)).id;
  };
}

/** Returns the fields that the mask names. A field without a value is undefined: it returns to the service's value. */
export function maskedValues(values: Partial<PolicyFields>, mask: readonly string[]): OwnPolicy {
  const masked = POLICY_FIELD_NAMES.filter((name) => mask.includes(name.replaceAll(/[A-Z]/g, toSnakeCase)));
  return Object.fromEntries(masked.map((name) => [name, ownValue(name, values[name])]));
}

function ownValue(name: PolicyFieldName, value: PolicyFields[PolicyFieldName]): unknown {
  if (Array.isArray(value) && value.length === 0) return undefined;
  return name === 'secondFactor' ? SECOND_FACTOR.nameOf(value as SecondFactorPolicy) : value;
}

const SECOND_FACTOR = enumNames(SecondFactorPolicy, 'SECOND_FACTOR_POLICY_');

const toSnakeCase = (letter: string): string => `_${letter.toLowerCase()}`;

/** Throws VALIDATION_ERROR if a value is looser than the service's. */
export function assertNotLooser({ service }: Policies, changes: OwnPolicy): void {
  const violations = createRequestViolations();
  for (const { field, item, ...fault } of policyFaults(service, changes))
    violations.add({ ...fault, props: item === undefined ? [field] : [field, `${item}`] });
  violations.assertNone();
}

/** Throws PRECONDITION_FAILED if the policy has none of the required versions. */
function assertVersion(versions: readonly number[] | undefined, policy: TenantPolicy): void {
  const version = policyVersion(policy);
  if (versions === undefined || versions.includes(version)) return;
  throw new ServiceError('PRECONDITION_FAILED', { detail: `the policy is in version ${version}` });
}

function policyMessage(policy: TenantPolicy): TenantPolicyMessage {
  const { own, effective, service } = policy;
  return {
    policy: ownMessage(own),
    effective: valuesMessage(effective),
    service: valuesMessage(service),
    version: policyVersion(policy),
  };
}

/** Converts the values that a tenant sets itself. */
export const ownMessage = (own: OwnPolicy): PolicyFields => ({
  ...own,
  allowedOrigins: [...(own.allowedOrigins ?? [])],
  secondFactor: own.secondFactor && SECOND_FACTOR.valueOf(own.secondFactor),
});

const valuesMessage = (values: Policy): EffectivePolicy => ({
  ...values,
  allowedOrigins: [...values.allowedOrigins.origins],
  secondFactor: SECOND_FACTOR.valueOf(values.secondFactor),
});
