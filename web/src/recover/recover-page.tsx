import { useEffect, useState } from 'preact/hooks';
import { confirmRecovery, type ConfirmRecoveryRequest } from '../../../client/src/operations.ts';
import {
  forgetRecovery,
  keepForRecovery,
  OVER,
  pathWithRequest,
  recoveredRequest,
  requestId,
  useAuthorizationRequest,
} from '../authorization/request.ts';
import { Requester } from '../authorization/requester.tsx';
import { ChoosePassword } from '../mail/choose-password.tsx';
import { NextPage } from '../mail/next-page.tsx';
import { mailTexts } from '../mail/texts.ts';
import { useMailToken } from '../mail/token.ts';
import { Alert } from '../ui/alert.tsx';
import { CardHead, useService } from '../ui/frame.tsx';
import { RequestScreen } from './request-screen.tsx';
import { SentScreen } from './sent-screen.tsx';
import { recoverTexts } from './texts.ts';

/** A recovery, whose login continues the request of an application if it began there. */
export function RecoverPage() {
  const mail = useMailToken();
  const [hasToken] = useState(mail[0] !== undefined);
  const [id] = useState(hasToken ? recoveredRequest : requestId);
  const { data } = useAuthorizationRequest(id);
  const application = data === OVER ? undefined : data?.application;
  useEffect(() => {
    if (hasToken) return;
    if (id === undefined) forgetRecovery();
    else if (application) keepForRecovery(id, application);
  }, [application]);
  return (
    <CardHead.Provider value={application && <Requester application={application} />}>
      <Recovery mail={mail} loginPath={pathWithRequest('/login', id)} />
    </CardHead.Provider>
  );
}

interface RecoveryProps {
  readonly mail: ReturnType<typeof useMailToken>;
  readonly loginPath: string;
}

/** From the username to the mail, and from its link to the new password. */
function Recovery({ mail: [token, forgetToken], loginPath }: RecoveryProps) {
  const { options, session } = useService();
  const [username, setUsername] = useState('');
  const [isSent, setSent] = useState(false);
  const [isDone, setDone] = useState(false);
  const [linkError, setLinkError] = useState<unknown>();
  const texts = recoverTexts();
  const { logIn, toLogin } = mailTexts();

  if (!options.recovery) {
    return (
      <NextPage title={texts.title} path={loginPath} action={toLogin}>
        <Alert kind="warning">{texts.off}</Alert>
      </NextPage>
    );
  }
  if (isDone) {
    return (
      <NextPage title={texts.doneTitle} path={loginPath} action={logIn}>
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
  if (isSent) return <SentScreen username={username} loginPath={loginPath} onOther={() => setSent(false)} />;
  return (
    <RequestScreen
      username={username}
      linkError={linkError}
      loginPath={loginPath}
      onUsername={setUsername}
      onSent={() => {
        setLinkError(undefined);
        setSent(true);
      }}
    />
  );
}
