import type {
  ChangeOwnPasswordRequest,
  ChangeOwnPasswordResponse,
  SetUserPasswordRequest,
  SetUserPasswordResponse,
} from '../../../../proto/gen/authservice/identity/v1/identity_service.ts';
import { ServiceError } from '../../../platform/errors.ts';

import type { Call } from '../../access/principal.ts';
import type { AccountChanges } from '../account-store.ts';
import { unlock } from '../authentication/account-lock.ts';
import { isPast } from '../authentication/eligibility.ts';
import { onUser, type LockedAccount } from './account-administration.ts';
import { assertNotSelf } from './administrator.ts';
import { generatePassword } from './generate-password.ts';
import { assertPassword } from './password-policy.ts';
import { userMessage, type UserDependencies } from './users.ts';
import { refusal } from '../../access/refusals.ts';

/** IdentityService.SetUserPassword. */
export function createSetUserPassword(options: UserDependencies) {
  const { administration, hasher, checkPassword, clock } = options;

  return onUser(
    administration,
    async (request: SetUserPasswordRequest, call, user): Promise<SetUserPasswordResponse> => {
      // Changing one's own password requires the current password; a token alone is not enough.
      assertNotSelf(call, user, 'setPassword');
      const given = givenPassword(request);
      if (given !== undefined) await assertPassword(checkPassword, given.field, given.password, user);
      const generated =
        given === undefined ? await generatePassword((one) => checkPassword('newPassword', one, user)) : undefined;

      const passwordHash = await hasher.hash(given?.password ?? generated!, call);
      const temporaryUntil = request.temporary ? clock() + TEMPORARY_MS : undefined;
      const changed = await administration.change(call, user, (locked) =>
        replacePassword(locked, passwordHash, options, call, { temporaryUntil }),
      );
      return { user: userMessage(changed, clock()), ...(generated !== undefined && { password: generated }) };
    },
  );
}

/** How long a temporary password can begin a login. */
export const TEMPORARY_MS = 24 * 3600_000;

/** Returns the password of a request and the field that has it. Throws VALIDATION_ERROR if both have one. */
function givenPassword({ password, newPassword }: SetUserPasswordRequest) {
  if (password !== undefined && newPassword !== undefined) {
    const message = 'must not be given together with password, its other name';
    throw new ServiceError('VALIDATION_ERROR', {
      violations: [{ message, format: 'exclusive', props: ['newPassword'] }],
    });
  }
  if (newPassword !== undefined) return { field: 'newPassword', password: newPassword };
  return password === undefined ? undefined : { field: 'password', password };
}

/** IdentityService.ChangeOwnPassword. */
export function createChangeOwnPassword(options: UserDependencies) {
  const { administration, manager, hasher, checkPassword } = options;

  return async (request: ChangeOwnPasswordRequest, call: Call): Promise<ChangeOwnPasswordResponse> => {
    const { account } = call.principal!;
    const { currentPassword, newPassword } = request;
    await assertPassword(checkPassword, 'newPassword', newPassword, account, currentPassword);
    if (!account.interactive) throw refusal('passwordOfServiceAccount');

    await manager.confirm(account, currentPassword, call, async () => {
      const passwordHash = await hasher.hash(newPassword, call);
      return (tx, record, endAttempt) =>
        administration.changeWithin(tx, record, call, account, async (locked) => {
          await endAttempt();
          await replacePassword(locked, passwordHash, options, call);
        });
    });
    return {};
  };
}

/**
 * Sets a new password. Removes the account's lock, removes the password's end date if it has passed, and ends all
 * sessions. Its owner gets a notice.
 */
export async function replacePassword(
  locked: LockedAccount,
  passwordHash: string,
  { endSessions, notify }: Pick<UserDependencies, 'endSessions' | 'notify'>,
  call: Call,
  {
    notice = 'password-changed',
    temporaryUntil,
  }: { readonly notice?: 'password-changed' | 'recovery-used'; readonly temporaryUntil?: number | undefined } = {},
): Promise<void> {
  const { tx, account, now, record } = locked;
  await storePassword(locked, passwordHash, { passwordTemporaryUntil: temporaryUntil });
  const sessionsEnded = await endSessions(tx, account, call.deadline, record);
  record('account.password-changed', { sessionsEnded, ...(temporaryUntil !== undefined && { temporary: 'true' }) });
  await notify(tx, notice, account, now);
}

/**
 * Stores a password, which is not temporary unless the changes say so. Removes the account's lock, and the password's end date if it
 * has passed.
 */
export async function storePassword(
  { tx, account, now, update }: LockedAccount,
  passwordHash: string,
  changes: AccountChanges = {},
): Promise<void> {
  const expired = isPast(account.credentialsExpireAt, now);
  await update({
    passwordTemporaryUntil: undefined,
    ...changes,
    passwordHash,
    ...(expired && { credentialsExpireAt: undefined }),
  });
  await unlock(tx, account);
}
