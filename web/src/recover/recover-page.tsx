import { useState } from 'preact/hooks';
import { confirmRecovery, type ConfirmRecoveryRequest } from '../../../client/src/operations.ts';
import { ChoosePassword } from '../mail/choose-password.tsx';
import { NextPage } from '../mail/next-page.tsx';
import { mailTexts } from '../mail/texts.ts';
import { useMailToken } from '../mail/token.ts';
import { Alert } from '../ui/alert.tsx';
import { useService } from '../ui/frame.tsx';
import { RequestScreen } from './request-screen.tsx';
import { SentScreen } from './sent-screen.tsx';
import { recoverTexts } from './texts.ts';

/** From the username to the mail, and from its link to the new password. */
export function RecoverPage() {
  const { options, session } = useService();
  const [token, forgetToken] = useMailToken();
  const [username, setUsername] = useState('');
  const [isSent, setSent] = useState(false);
  const [isDone, setDone] = useState(false);
  const [linkError, setLinkError] = useState<unknown>();
  const texts = recoverTexts();
  const { logIn, toLogin } = mailTexts();

  if (!options.recovery) {
    return (
      <NextPage title={texts.title} path="/login" action={toLogin}>
        <Alert kind="warning">{texts.off}</Alert>
      </NextPage>
    );
  }
  if (isDone) {
    return (
      <NextPage title={texts.doneTitle} path="/login" action={logIn}>
        <p>{texts.doneText}</p>
      </NextPage>
    );
  }
  if (token !== undefined) {
    const member = options.profile === 'A' ? 'newPassword' : 'new_password';
    return (
      <ChoosePassword
        title={texts.newTitle}
        text={texts.newText}
        action={texts.set}
        member={member}
        onSubmit={async (password) => {
          await confirmRecovery(session.anonymous, { body: { token, [member]: password } as ConfirmRecoveryRequest });
          setDone(true);
        }}
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
