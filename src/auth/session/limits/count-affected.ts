// Whom a change of the policy of a tenant affects, before it is stored.
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Reader } from '../../../platform/db/types.ts';
import type { TenantPolicy } from '../../access/policy/effective-policy.ts';
import type { SessionLimits } from './limit-sessions.ts';
import { listsRequiringFactor, type RequiredFactorDependencies } from './required-factors.ts';
import { countEnded } from './session-limit-store.ts';

export interface CountAffectedDependencies extends Omit<RequiredFactorDependencies, 'selectRoleLists'> {
  readonly database: Database;
  /** Returns the number of enabled users with a password, or without a second factor and with one of some lists of roles. */
  readonly countUsers: (
    tenantId: string,
    which: 'withPassword' | { readonly withoutFactor: { readonly roles: readonly string[] } },
    reader: Reader,
  ) => Promise<number>;
  readonly sessionLimits: Pick<SessionLimits, 'conditionsFor' | 'conditionsUnder'>;
  readonly clock: Clock;
}

/** A policy of a tenant, and the one that would follow it. */
export interface PolicyStep {
  readonly tenantId: string;
  readonly before: TenantPolicy;
  readonly after: TenantPolicy;
}

/** Creates a function that counts sessions that would end, users without a factor that they would need, and passwords that stay valid. */
export function createCountAffected(options: CountAffectedDependencies) {
  const { database, countUsers, sessionLimits, clock } = options;

  async function countSessions({ tenantId, after }: PolicyStep, reader: Reader): Promise<number> {
    const conditions = {
      before: await sessionLimits.conditionsFor({ everyTenant: false, tenantId }),
      after: await sessionLimits.conditionsUnder(tenantId, after),
    };
    return countEnded(database, tenantId, conditions, { now: clock(), reader });
  }

  async function countWithoutFactor({ tenantId, before, after }: PolicyStep, reader: Reader): Promise<number> {
    const known = new Set(await listsRequiringFactor(options, tenantId, before.effective));
    const lists = await listsRequiringFactor(options, tenantId, after.effective);
    const roles = lists.filter((list) => !known.has(list));
    return roles.length === 0 ? 0 : countUsers(tenantId, { withoutFactor: { roles } }, reader);
  }

  return async (step: PolicyStep, reader: Reader) => {
    const isLonger = step.after.effective.passwordMinLength > step.before.effective.passwordMinLength;
    return {
      sessionsEnded: await countSessions(step, reader),
      usersWithoutFactor: await countWithoutFactor(step, reader),
      passwordsUnaffected: isLonger ? await countUsers(step.tenantId, 'withPassword', reader) : 0,
    };
  };
}
