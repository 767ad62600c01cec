// The RPCs on one user, and the list.
import type {
  DeleteUserRequest,
  DeleteUserResponse,
  DisableUserRequest,
  DisableUserResponse,
  EnableUserRequest,
  GetUserRequest,
  GetUserResponse,
  ListUserPermissionsRequest,
  ListUserPermissionsResponse,
  ListUsersRequest,
  ListUsersResponse,
  UnlockUserRequest,
  UnlockUserResponse,
  User,
} from '../../../../proto/gen/authservice/identity/v1/identity_service.ts';
import { MailState } from '../../../../proto/gen/authservice/identity/v1/identity_service.ts';
import type { Clock } from '../../../platform/clock.ts';
import { enumNames } from '../../../platform/formats/enum-names.ts';
import { listPageInfo, listPageOf } from '../../../platform/rpc/paging.ts';
import type { RequireFresh } from '../../../platform/rpc/pipeline/admission.ts';
import type { Invitations } from '../invitation/invitations.ts';
import type { MailStates, ReadMailStates } from '../../mail/mail-states.ts';
import type { Notify } from '../../mail/notices.ts';
import type { Call, Principal } from '../../access/principal.ts';
import { accountMessage } from '../account-message.ts';
import type { AccountStore } from '../account-store.ts';
import { unlock } from '../authentication/account-lock.ts';
import type { AuthenticationManager } from '../authentication/authentication-manager.ts';
import { isDisabled, isLocked, isPast } from '../authentication/eligibility.ts';
import type { PasswordHasher } from '../authentication/password-hasher.ts';
import { onUser, type AccountAdministration, type EndSessions } from './account-administration.ts';
import { assertKnownRole } from './account-input.ts';
import { accountOrder } from './account-order.ts';
import { stateOf, USER_STATE } from './account-state.ts';
import { assertNotSelf, narrowScope } from './administrator.ts';
import type { CheckPassword } from './password-policy.ts';
import type { Account } from '../../access/account.ts';
import { permissionNames } from '../../access/roles/rights.ts';

/** The dependencies of the user RPCs. */
export interface UserDependencies {
  readonly administration: AccountAdministration;
  readonly accounts: Pick<AccountStore, 'hold'>;
  readonly manager: AuthenticationManager;
  readonly hasher: PasswordHasher;
  readonly checkPassword: CheckPassword;
  readonly endSessions: EndSessions;
  /** Ends the sessions of a user whose roles have changed. */
  readonly endSessionsAlone: EndSessions;
  readonly requireFresh: RequireFresh<Principal>;
  readonly notify: Notify;
  /** Undefined if mail is off. */
  readonly invitations: Invitations | undefined;
  readonly readMailStates: ReadMailStates;
  readonly clock: Clock;
}

/** IdentityService: the RPCs on one user, and the list. */
export function userHandlers({ administration, endSessions, readMailStates, clock }: UserDependencies) {
  const setDisabled = (disabled: boolean) =>
    onUser(
      administration,
      async (_request: DisableUserRequest | EnableUserRequest, call, user): Promise<DisableUserResponse> => ({
        user: userMessage(await administration.setDisabled(call, user, disabled), clock()),
      }),
    );

  return {
    getUser: onUser(administration, async (_request: GetUserRequest, _call, user): Promise<GetUserResponse> => {
      const now = clock();
      return { user: userMessage(user, now, (await readMailStates([user], now)).get(user.id)) };
    }),

    listUserPermissions: onUser(
      administration,
      async (_request: ListUserPermissionsRequest, _call, user): Promise<ListUserPermissionsResponse> => {
        const { rightsOf } = await administration.definitions.load({ tenantId: user.tenantId, version: null });
        const givers = user.roles.map((role) => ({ role, gives: permissionNames(rightsOf([role]).permissions) }));
        const permissions = permissionNames(rightsOf(user.roles).permissions).map((permission) => ({
          permission,
          roles: givers.filter(({ gives }) => gives.includes(permission)).map(({ role }) => role),
        }));
        return { permissions };
      },
    ),

    async listUsers(request: ListUsersRequest, call: Call): Promise<ListUsersResponse> {
      const order = accountOrder(request.sort ?? '');
      const page = listPageOf(request, call, order);
      const { query, role, disabled } = request;
      const state = request.state === undefined ? undefined : USER_STATE.nameOf(request.state);
      const scope = narrowScope(call.principal!, request.tenantId);
      if (role !== undefined) await assertKnownRole(administration.definitions, scope, role);
      const filter = { interactive: true, query, role, disabled, state };
      const found = await administration.list(scope, filter, page, order);
      const now = clock();
      const invited = found.items.filter(({ invitationExpiresAt }) => !isPast(invitationExpiresAt ?? 0, now));
      const mails = await readMailStates(invited, now);
      const users = found.items.map((account) =>
        userMessage(account, now, { invitation: mails.get(account.id)?.invitation }),
      );
      return { users, page: listPageInfo(page, found) };
    },

    disableUser: setDisabled(true),
    enableUser: setDisabled(false),

    unlockUser: onUser(administration, async (_request: UnlockUserRequest, call, user): Promise<UnlockUserResponse> => {
      const changed = await administration.recover(call, user, async (locked) => {
        const { loginFailedCount } = locked.account;
        if (await unlock(locked.tx, locked.account)) locked.record('account.unlocked', { loginFailedCount });
      });
      return { user: userMessage(changed, clock()) };
    }),

    /** The user's audit records stay. */
    deleteUser: onUser(administration, async (_request: DeleteUserRequest, call, user): Promise<DeleteUserResponse> => {
      assertNotSelf(call, user, 'delete');
      await administration.change(call, user, async (locked) => {
        const sessionsEnded = await endSessions(locked.tx, user, call.deadline, locked.record);
        await locked.remove();
        locked.record('account.deleted', { sessionsEnded });
      });
      return {};
    }),
  };
}

const MAIL_STATE = enumNames(MailState, 'MAIL_STATE_');

/** Converts a user to its proto message. An expired lock and the failures before it are not shown. */
export function userMessage(account: Account, now: number, mails: MailStates = {}): User {
  const { roles, accountExpiresAt, credentialsExpireAt, lockedUntil, loginFailedCount } = account;
  const { invitationExpiresAt, disableAt } = account;
  const disabled = isDisabled(account, now);
  const locked = isLocked(account, now);
  return {
    account: accountMessage(account),
    heldRoles: [...roles],
    disabled,
    ...(accountExpiresAt !== undefined && { accountExpiresAt: new Date(accountExpiresAt) }),
    ...(credentialsExpireAt !== undefined && { credentialsExpireAt: new Date(credentialsExpireAt) }),
    loginFailedCount: lockedUntil === undefined || locked ? loginFailedCount : 0,
    ...(locked && { lockedUntil: new Date(lockedUntil!) }),
    emailVerified: account.emailVerifiedAt !== undefined,
    ...(invitationExpiresAt !== undefined && { invitationExpiresAt: new Date(invitationExpiresAt) }),
    version: account.version ?? 1,
    ...(account.lastLoginAt !== undefined && { lastLoginAt: new Date(account.lastLoginAt) }),
    factors: [...account.factors],
    state: USER_STATE.valueOf(stateOf(account, now)),
    ...(disableAt !== undefined && disableAt > now && { disableAt: new Date(disableAt) }),
    ...(mails.invitation && { invitationMail: MAIL_STATE.valueOf(mails.invitation) }),
    ...(mails.recovery && { recoveryMail: MAIL_STATE.valueOf(mails.recovery) }),
  };
}
