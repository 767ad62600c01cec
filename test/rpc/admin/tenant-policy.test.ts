// UpdateTenantPolicy over gRPC: values and masks that REST cannot send.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UpdateTenantPolicyRequest } from '../../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { outcomeOf } from '../../support/rpc-outcomes.ts';
import { openWorld, type World } from '../../support/world.ts';
import { NO_POLICY } from './rpcs.ts';

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld(kind);
  });
  afterAll(() => world?.close());

  const update = (request: Partial<UpdateTenantPolicyRequest>) =>
    world.clients.tenancy.updateTenantPolicy({ tenantId: 'acme', ...request }, world.admin.as);
  const get = async () => (await world.clients.tenancy.getTenantPolicy({ tenantId: 'acme' }, world.admin.as)).policy!;

  it.each<[what: string, request: Partial<UpdateTenantPolicyRequest>, outcome: string]>([
    ['zero', { policy: { ...NO_POLICY, lockMaxFailures: 0 }, updateMask: ['lock_max_failures'] }, 'VALIDATION_ERROR'],
    [
      'a negative number',
      { policy: { ...NO_POLICY, lockDuration: -1 }, updateMask: ['lock_duration'] },
      'VALIDATION_ERROR',
    ],
    [
      'the largest number',
      { policy: { ...NO_POLICY, sessionsPerAccount: 2 ** 31 - 1 }, updateMask: ['sessions_per_account'] },
      'VALIDATION_ERROR',
    ],
    [
      '51 origins',
      { policy: { allowedOrigins: Array<string>(51).fill('x') }, updateMask: ['allowed_origins'] },
      'VALIDATION_ERROR',
    ],
    ['an unknown field', { policy: NO_POLICY, updateMask: ['third_factor'] }, 'VALIDATION_ERROR'],
    ['no mask', { policy: { ...NO_POLICY, lockMaxFailures: 3 } }, 'VALIDATION_ERROR'],
    [
      'no version',
      { policy: NO_POLICY, updateMask: ['lock_duration'], precondition: { versions: [] } },
      'PRECONDITION_FAILED',
    ],
    ['an empty mask', { policy: { ...NO_POLICY, lockMaxFailures: 3 }, updateMask: [] }, 'OK'],
    ['no values', { updateMask: ['lock_max_failures', 'allowed_origins'] }, 'OK'],
  ])('changes nothing for %s', async (_what, request, outcome) => {
    const before = await get();
    expect(await outcomeOf(update(request))).toBe(outcome);
    expect(await get()).toEqual(before);
  });

  it('ignores values that the mask does not name', async () => {
    const values = { ...NO_POLICY, lockMaxFailures: 3, lockDuration: 1 };
    const { policy } = await update({ policy: values, updateMask: ['lock_max_failures'] });
    expect(policy).toMatchObject({
      policy: { lockMaxFailures: 3 },
      effective: { lockMaxFailures: 3, lockDuration: 900 },
    });
    expect(policy!.policy!.lockDuration).toBeUndefined();
  });
});
