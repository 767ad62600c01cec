// The states of the mails with links that administrators cause.
import { useEffect } from 'preact/hooks';
import type { User } from '../../../../client/src/operations.ts';
import { Status } from '../../ui/status.tsx';
import { mailTexts } from './mail-texts.ts';

export type MailState = NonNullable<User['invitationMail']>;

const KINDS = { QUEUED: 'warn', SENT: 'good', REFUSED: 'bad', NONE: 'good' } as const;
const REFRESH_MS = 3_000;

interface MailStatusProps {
  readonly state: MailState;
  /** What the administrator can do if the mail was refused. */
  readonly remedy?: string;
}

export function MailStatus({ state, remedy }: MailStatusProps) {
  const texts = mailTexts();
  return (
    <>
      <Status kind={KINDS[state]}>{texts[state]}</Status>
      {state === 'REFUSED' && remedy !== undefined && `. ${remedy}`}
    </>
  );
}

/** Loads data again until no mail is queued. */
export function useMailRefresh(isQueued: boolean, reload: () => void): void {
  useEffect(() => {
    if (!isQueued) return undefined;
    // A hidden tab would extend the session for ever.
    const timer = setInterval(() => document.hidden || reload(), REFRESH_MS);
    return () => clearInterval(timer);
  }, [isQueued, reload]);
}
