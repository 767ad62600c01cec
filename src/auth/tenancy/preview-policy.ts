// What a change of the policy of a tenant would do, before it is stored.
import {
  PolicyEffect,
  type PreviewTenantPolicyRequest,
  type PreviewTenantPolicyResponse,
} from '../../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import type { Database, Reader } from '../../platform/db/types.ts';
import { readerOf } from '../../platform/rpc/paging.ts';
import { loadThenHandle } from '../../platform/rpc/service.ts';
import { effectivePolicy, readOwnPolicy, type TenantPolicy } from '../access/policy/effective-policy.ts';
import type { Policies } from '../access/policy/policies.ts';
import type { Policy, PolicyFieldName } from '../access/policy/policy-fields.ts';
import { assertNotLooser, findTenantId, maskedValues } from './tenant-policy.ts';

export interface PreviewPolicyDependencies {
  readonly database: Database;
  readonly policies: Policies;
  /** Counts whom a change affects. */
  readonly countAffected: (
    step: { readonly tenantId: string; readonly before: TenantPolicy; readonly after: TenantPolicy },
    reader: Reader,
  ) => Promise<Omit<PreviewTenantPolicyResponse, 'when'>>;
}

/** TenancyService.PreviewTenantPolicy. */
export function createPreviewTenantPolicy({ database, policies, countAffected }: PreviewPolicyDependencies) {
  return loadThenHandle(
    findTenantId(database),
    async (request: PreviewTenantPolicyRequest, call, tenantId): Promise<PreviewTenantPolicyResponse> => {
      const changes = maskedValues(request.policy ?? {}, request.updateMask!);
      assertNotLooser(policies, changes);
      const before = await policies.load(tenantId);
      const { service } = before;
      const own = readOwnPolicy({ ...before.own, ...changes });
      const after = { own, service, effective: effectivePolicy(service, own) };
      const affected = await countAffected({ tenantId, before, after }, readerOf(call));
      return { ...affected, when: effectOf(before.effective, after.effective) };
    },
  );
}

/** The fields that are read with each request, mail or password. The others are read at a login or a refresh. */
const READ_ALWAYS: readonly PolicyFieldName[] = [
  'passwordMinLength',
  'freshSession',
  'recovery',
  'language',
  'sharedApplications',
];

function effectOf(before: Policy, after: Policy): PolicyEffect {
  const hasChanged = (name: PolicyFieldName) => JSON.stringify(before[name]) !== JSON.stringify(after[name]);
  // Sessions that become too old end for good. A longer limit begins with a refresh.
  const isShorter = (['sessionIdleWindow', 'sessionAbsoluteLifetime'] as const).some(
    (name) => (after[name] ?? Infinity) < (before[name] ?? Infinity),
  );
  const isNow = isShorter || READ_ALWAYS.some(hasChanged);
  return isNow ? PolicyEffect.POLICY_EFFECT_NOW : PolicyEffect.POLICY_EFFECT_NEXT_LOGIN_OR_REFRESH;
}
