import type { User } from '../../../../client/src/operations.ts';
import { formatDateTime } from '../../format.ts';
import { Status } from '../../ui/status.tsx';
import { userTexts } from './texts.ts';

const isPast = (time: string | undefined): boolean => time !== undefined && Date.parse(time) <= Date.now();

/** Whether the user can log in, and if not, why: the first reason that fits. */
export function UserState({ user }: { readonly user: User }) {
  const texts = userTexts();
  const { state, invitationExpiresAt, lockedUntil, credentialsExpireAt } = user;
  switch (state) {
    case 'DISABLED':
    case 'EXPIRED':
      return <Status kind="bad">{texts[state]}</Status>;
    case 'LOCKED':
      return <Status kind="warn">{texts.lockedUntil(formatDateTime(lockedUntil!))}</Status>;
    case 'INVITED':
      return (
        <Status kind="warn">
          {isPast(invitationExpiresAt)
            ? texts.invitationEnded
            : texts.invitedUntil(formatDateTime(invitationExpiresAt!))}
        </Status>
      );
    default:
      return isPast(credentialsExpireAt) ? (
        <Status kind="warn">{texts.passwordExpired}</Status>
      ) : (
        <Status kind="good">{texts.ENABLED}</Status>
      );
  }
}
