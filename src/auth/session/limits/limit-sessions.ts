// A policy that was changed ends sessions for good: its ends are stored with the sessions, so that a later, looser policy does not bring
// them back. A job does it within a minute. A list of an administrator does it first, and leaves out what a refresh would refuse.
import type { Clock } from '../../../platform/clock.ts';
import type { Condition } from '../../../platform/db/query/condition.ts';
import type { AdminScope } from '../../../platform/db/query/tenant-scope.ts';
import type { Database } from '../../../platform/db/types.ts';
import { backgroundOf } from '../../../platform/jobs/background.ts';
import { intervalJob } from '../../../platform/jobs/interval-job.ts';
import type { TenantPolicy } from '../../access/policy/effective-policy.ts';
import type { Policies } from '../../access/policy/policies.ts';
import type { Policy } from '../../access/policy/policy-fields.ts';
import {
  isFactorRequiredByAny,
  ofEnabled,
  selectRequiringOfAdministrators,
  selectPendingLimits,
  storeAppliedLimit,
  WITH_FACTOR,
  WITH_FACTOR_WHERE_REQUIRED,
  withFactorUnless,
  withFactorUnlessOf,
  withinLimits,
  type PendingLimit,
} from './session-limit-store.ts';
import { shortenNext } from '../slide-store.ts';
import { listsOfAdministrators, listsRequiringFactor, type RequiredFactorDependencies } from './required-factors.ts';

export interface SessionLimitsDependencies extends RequiredFactorDependencies {
  readonly database: Database;
  /** Whether accounts within a scope are to be disabled by now, and the job has not done it yet. */
  readonly hasDue: (scope: AdminScope, now: number) => Promise<boolean>;
  readonly policies: Policies;
  readonly clock: Clock;
}

const INTERVAL_MS = 60_000;
const LEASE_MS = 30_000;
const BATCH_SIZE = 200;
/** Batches and tenants that a list waits for. The job does the rest. */
const BATCHES_OF_LIST = 50;
const TENANTS_AT_ONCE = 50;

const ALL: AdminScope = { everyTenant: true };

export type SessionLimits = ReturnType<typeof createSessionLimits>;

export function createSessionLimits({ database, policies, hasDue, clock, ...required }: SessionLimitsDependencies) {
  /** Applies a policy. Returns whether all sessions have its ends. */
  async function apply(db: Database, limit: PendingLimit, batches: number): Promise<boolean> {
    let last: string | undefined;
    for (let count = 0; count < batches; count += 1) {
      last = await shortenNext(db, limit, last, BATCH_SIZE);
      if (last === undefined) {
        await storeAppliedLimit(db, limit, clock());
        return true;
      }
    }
    return false;
  }

  async function withFactor(scope: AdminScope): Promise<readonly Condition[]> {
    if (policies.service.secondFactor === 'REQUIRED') return [WITH_FACTOR];
    if (scope.everyTenant)
      return [
        ...((await isFactorRequiredByAny(database)) ? [WITH_FACTOR_WHERE_REQUIRED] : []),
        ...(await withFactorOfAdministrators()),
      ];
    return withFactorBy(scope.tenantId, (await policies.load(scope.tenantId)).effective);
  }

  /** For all tenants: a tenant can require what the service does not. */
  async function withFactorOfAdministrators(): Promise<readonly Condition[]> {
    const isOfAll = policies.service.secondFactor === 'REQUIRED_FOR_ADMINISTRATORS';
    const tenantIds = isOfAll ? undefined : await selectRequiringOfAdministrators(database);
    return withFactorUnlessOf(await listsOfAdministrators(required, tenantIds), isOfAll);
  }

  async function withFactorBy(tenantId: string | undefined, policy: Policy): Promise<readonly Condition[]> {
    if (policy.secondFactor === 'OPTIONAL') return [];
    if (policy.secondFactor === 'REQUIRED') return [WITH_FACTOR];
    const lists = await listsRequiringFactor(required, tenantId, policy);
    return lists.length === 0 ? [] : [withFactorUnless(lists)];
  }

  const background = backgroundOf(database);
  const job = intervalJob({
    name: 'session-limits',
    database: background,
    clock,
    intervalMs: INTERVAL_MS,
    lease: { durationMs: LEASE_MS, heldFor: 'run' },
    async begin() {
      const pending = await selectPendingLimits(background, ALL, TENANTS_AT_ONCE);
      return pending.length === 0 ? undefined : { pending, last: undefined as string | undefined };
    },
    async batch(work) {
      const [limit] = work.pending;
      if (!limit) return { count: 0, hasMore: false };
      work.last = await shortenNext(background, limit, work.last, BATCH_SIZE);
      if (work.last === undefined) {
        await storeAppliedLimit(background, limit, clock());
        work.pending.shift();
      }
      return { count: 1, hasMore: work.pending.length > 0 };
    },
    failure: 'policies could not be applied to sessions, the next interval tries again',
  });

  return {
    job,
    /**
     * Returns the conditions of sessions that a refresh would not refuse for the policy in force, or because their user is disabled by
     * now, for the alias `s`. Stores the ends of policies that were changed before.
     */
    async conditionsFor(scope: AdminScope): Promise<readonly Condition[]> {
      const pending = await selectPendingLimits(database, scope, TENANTS_AT_ONCE);
      const left: Condition[] = [];
      for (const limit of pending)
        if (!(await apply(database, limit, BATCHES_OF_LIST))) left.push(withinLimits(limit, clock()));
      const now = clock();
      const due = (await hasDue(scope, now)) ? [ofEnabled(now)] : [];
      return [...left, ...due, ...(await withFactor(scope))];
    },
    /** Returns the conditions of sessions that a refresh would not refuse for another policy of a tenant, for the alias `s`. */
    async conditionsUnder(tenantId: string, { own, effective }: TenantPolicy): Promise<readonly Condition[]> {
      return [withinLimits({ tenantId, own }, clock()), ...(await withFactorBy(tenantId, effective))];
    },
  };
}
