import { useState } from 'preact/hooks';
import { requestRecovery } from '../../../client/src/operations.ts';
import { formatNumber } from '../format.ts';
import { pagePath } from '../service.ts';
import { commonTexts } from '../texts/common.ts';
import { ActError, useAct } from '../ui/act.tsx';
import { CardPage, useService } from '../ui/frame.tsx';
import { Name } from '../ui/name.tsx';
import { notify } from '../ui/notices.tsx';
import { useSecondsUntilResend } from '../ui/resend-pause.ts';
import { recoverTexts } from './texts.ts';

interface SentScreenProps {
  readonly username: string;
  readonly loginPath: string;
  readonly onOther: () => void;
}

/** A mail may be on its way. */
export function SentScreen({ username, loginPath, onOther }: SentScreenProps) {
  const { session } = useService();
  const [sentAt, setSentAt] = useState(Date.now);
  const seconds = useSecondsUntilResend(sentAt);
  const texts = recoverTexts();
  const again = useAct(async () => {
    await requestRecovery(session.anonymous, { body: { username } });
    setSentAt(Date.now());
    notify(texts.sentAgain);
  });
  const isWaiting = seconds > 0;
  return (
    <CardPage title={texts.sentTitle}>
      <p>
        {texts.sent}
        <br />
        <b>
          <Name>{username.trim()}</Name>
        </b>
      </p>
      <p>{texts.sentText}</p>
      <div>
        <h2>{texts.nothingCame}</h2>
        <ul class="notes">
          <li>{texts.checkSpam}</li>
          <li>{texts.checkUsername}</li>
          <li>{texts.waitAnHour}</li>
          <li>{texts.askAdministrator}</li>
        </ul>
      </div>
      <ActError act={again} />
      <div>
        <button
          class="wide"
          aria-disabled={isWaiting || again.isBusy}
          aria-describedby="send-again"
          onClick={() => isWaiting || again.run()}
        >
          {texts.sendAgain}
        </button>
        <p id="send-again" class="hint">
          {isWaiting && commonTexts().sendAgainIn(formatNumber(seconds))}
        </p>
      </div>
      <div class="choices">
        <button class="quiet" onClick={onOther}>
          {texts.otherUsername}
        </button>
      </div>
      <p>
        <a href={pagePath(loginPath)}>{texts.toLogin}</a>
      </p>
    </CardPage>
  );
}
