import type { User } from '../../../../client/src/operations.ts';
import { formatDateTime } from '../../format.ts';
import { Status } from '../../ui/status.tsx';
import { userTexts } from './texts.ts';

/** Why the user cannot log in, the gravest reason first. */
export function UserState({ user }: { readonly user: User }) {
  const texts = userTexts();
  const { disabled, accountExpiresAt, invitationExpiresAt, lockedUntil, credentialsExpireAt } = user;
  if (disabled) return <Status kind="bad">{texts.disabled}</Status>;
  if (isPast(accountExpiresAt)) return <Status kind="bad">{texts.expired}</Status>;
  if (isPast(invitationExpiresAt)) return <Status kind="warn">{texts.invitationEnded}</Status>;
  if (invitationExpiresAt !== undefined)
    return <Status kind="warn">{texts.invitedUntil(formatDateTime(invitationExpiresAt))}</Status>;
  if (lockedUntil !== undefined && !isPast(lockedUntil))
    return <Status kind="warn">{texts.lockedUntil(formatDateTime(lockedUntil))}</Status>;
  if (isPast(credentialsExpireAt)) return <Status kind="warn">{texts.passwordExpired}</Status>;
  return <Status kind="good">{texts.enabled}</Status>;
}

const isPast = (time: string | undefined): boolean => time !== undefined && Date.parse(time) <= Date.now();
