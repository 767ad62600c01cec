import { Permission } from '../../../../proto/gen/authservice/access/v1/access.ts';
import type { Precondition } from '../../../../proto/gen/authservice/record/v1/record.ts';
import type {
  SetUserRolesRequest,
  SetUserRolesResponse,
  UpdateUserRequest,
  UpdateUserResponse,
  UserFields,
} from '../../../../proto/gen/authservice/identity/v1/identity_service.ts';
import { loadThenCheckReferences } from '../../../platform/rpc/service.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { Account } from '../../access/account.ts';
import type { Call } from '../../access/principal.ts';
import type { AccountChanges } from '../account-store.ts';
import { assertHoldable } from './give-roles.ts';
import { isPast } from '../authentication/eligibility.ts';
import { onUser, type LockedAccount } from './account-administration.ts';
import { assertCanGrantRoles, checkRoles, ROLES_OF_TENANTS, SUPER_ADMIN_ONLY } from './account-input.ts';
import { assertNotSelf } from './administrator.ts';
import { settleDisabled } from './settle-disabled.ts';
import { userMessage, type UserDependencies } from './users.ts';

/** IdentityService.UpdateUser. */
export function createUpdateUser({ administration, endSessions, requireFresh, notify, clock }: UserDependencies) {
  return onUser(administration, async (request: UpdateUserRequest, call, user): Promise<UpdateUserResponse> => {
    const changes = maskedChanges(request.user ?? {}, request.updateMask!);
    if ('email' in changes) await requireFresh(call.principal!);
    if (changes.disableAt !== undefined) assertNotSelf(call, user, 'disable');
    const now = clock();
    if (isPast(changes.accountExpiresAt, now) || isPast(changes.credentialsExpireAt, now))
      assertNotSelf(call, user, 'expire');

    const work = async (locked: LockedAccount) => {
      assertVersion(locked.account, request.precondition);
      // A time that has passed has disabled the user: only EnableUser undoes that.
      if ('disableAt' in changes) await settleDisabled(locked, endSessions, call.deadline);
      const fields = FIELDS.filter((field) => field in changes && changes[field] !== locked.account[field]);
      if (fields.length === 0) return;
      await locked.update({ ...changes, ...(fields.includes('email') && { emailVerifiedAt: undefined }) });
      locked.record('account.updated', { fields: fields.join() });
      // To the address before.
      if (fields.includes('email')) await notify(locked.tx, 'email-changed', locked.account, locked.now);
    };
    const changed = await administration.change(call, user, work);
    return { user: userMessage(changed, clock()) };
  });
}

/** Throws PRECONDITION_FAILED if the caller has seen another version of the account. */
function assertVersion({ version = 1 }: Account, precondition: Precondition | undefined): void {
  if (precondition === undefined || precondition.versions.includes(version)) return;
  throw new ServiceError('PRECONDITION_FAILED', { detail: `the user is in version ${version}` });
}

const FIELDS = ['name', 'email', 'accountExpiresAt', 'credentialsExpireAt', 'disableAt'] as const;

/** Returns the fields that the mask names. A field without a value is removed. */
function maskedChanges(user: UserFields, mask: readonly string[]): AccountChanges {
  return {
    ...(mask.includes('name') && { name: user.name! }),
    ...(mask.includes('email') && { email: user.email }),
    ...(mask.includes('account_expires_at') && { accountExpiresAt: user.accountExpiresAt?.getTime() }),
    ...(mask.includes('disable_at') && { disableAt: user.disableAt?.getTime() }),
    ...(mask.includes('credentials_expire_at') && { credentialsExpireAt: user.credentialsExpireAt?.getTime() }),
  };
}

/**
 * IdentityService.SetUserRoles. Ends the user's sessions, because they may hold permissions that the user no longer
 * has.
 */
export function createSetUserRoles(options: UserDependencies) {
  const { administration, endSessionsAlone, clock } = options;

  return loadThenCheckReferences(
    ({ userId }: SetUserRolesRequest, call: Call) => administration.findUser(call.principal!, userId),
    async (request, call, user, violations): Promise<SetUserRolesResponse> => {
      const principal = call.principal!;
      const holdable = user.tenantId === undefined ? SUPER_ADMIN_ONLY : ROLES_OF_TENANTS;
      const { roles } = request;
      await checkRoles(violations, administration.definitions, principal, { tenantId: user.tenantId, roles }, holdable);
      violations.assertNone();
      assertCanGrantRoles(principal, roles);

      const changed = await administration.change(call, user, async (locked) => {
        const { tx, actor, account } = locked;
        assertVersion(account, request.precondition);
        const target = { tenantId: account.tenantId, roles };
        const { permissions } = await assertHoldable(tx, administration.definitions, target, actor);
        if (!permissions.has(Permission.PERMISSION_MANAGE_USERS)) assertNotSelf(call, user, 'demote');
        const from = account.roles.join();
        if (from === roles.join()) return;
        await locked.update({ roles });
        const sessionsEnded = await endSessionsAlone(locked.tx, user, call.deadline, locked.record);
        locked.record('account.roles-changed', { from, to: roles.join(), sessionsEnded });
      });
      return { user: userMessage(changed, clock()) };
    },
  );
}
