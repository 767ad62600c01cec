import { useState } from 'preact/hooks';
import { useMailToken } from '../mail-token.ts';
import { pagePath } from '../service.ts';
import { Alert } from '../ui/alert.tsx';
import { CardPage, useService } from '../ui/frame.tsx';
import { NewPasswordScreen } from './new-password-screen.tsx';
import { RequestScreen } from './request-screen.tsx';
import { SentScreen } from './sent-screen.tsx';
import { recoverTexts } from './texts.ts';

/** From the username to the mail, and from its link to the new password. */
export function RecoverPage() {
  const { options } = useService();
  const [token, forgetToken] = useMailToken();
  const [username, setUsername] = useState('');
  const [isSent, setSent] = useState(false);
  const [isDone, setDone] = useState(false);
  const [linkError, setLinkError] = useState<unknown>();

  if (!options.recovery) return <MailIsOff />;
  if (isDone) return <Done />;
  if (token !== undefined) {
    return (
      <NewPasswordScreen
        token={token}
        onDone={() => setDone(true)}
        onInvalid={(error) => {
          setLinkError(error);
          forgetToken();
        }}
      />
    );
  }
  if (isSent) return <SentScreen username={username} onOther={() => setSent(false)} />;
  return (
    <RequestScreen
      username={username}
      linkError={linkError}
      onUsername={setUsername}
      onSent={() => {
        setLinkError(undefined);
        setSent(true);
      }}
    />
  );
}

function MailIsOff() {
  const texts = recoverTexts();
  return (
    <CardPage title={texts.title}>
      <Alert kind="warning">{texts.off}</Alert>
      <p>
        <a href={pagePath('/login')}>{texts.toLogin}</a>
      </p>
    </CardPage>
  );
}

function Done() {
  const texts = recoverTexts();
  return (
    <CardPage title={texts.doneTitle}>
      <p>{texts.doneText}</p>
      <p class="actions">
        <a class="button primary" href={pagePath('/login')}>
          {texts.logIn}
        </a>
      </p>
    </CardPage>
  );
}
