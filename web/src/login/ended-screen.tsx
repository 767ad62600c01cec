import { formatDateTime } from '../format.ts';
import { CardPage } from '../ui/frame.tsx';
import type { EndedSessions } from './ended-sessions.ts';
import { loginTexts } from './texts.ts';

interface EndedScreenProps {
  readonly ended: EndedSessions;
  readonly onContinue: () => void;
}

/** Tells a user why sessions of the account were ended, after the login: before it, anyone could ask. */
export function EndedScreen({ ended: { event, at, reason }, onContinue }: EndedScreenProps) {
  const texts = loginTexts();
  return (
    <CardPage title={texts.endedTitle}>
      <p>{texts[event](formatDateTime(at))}</p>
      {reason !== undefined && <p>{texts.endedReason(reason)}</p>}
      <p class="actions">
        <button class="primary" onClick={onContinue}>
          {texts.continue}
        </button>
      </p>
    </CardPage>
  );
}
