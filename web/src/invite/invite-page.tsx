import { useState } from 'preact/hooks';
import { confirmInvitation } from '../../../client/src/operations.ts';
import { textOf } from '../errors.ts';
import { ChoosePassword } from '../mail/choose-password.tsx';
import { NextPage } from '../mail/next-page.tsx';
import { mailTexts } from '../mail/texts.ts';
import { useMailToken } from '../mail/token.ts';
import { pagePath } from '../service.ts';
import { Alert } from '../ui/alert.tsx';
import { useService } from '../ui/frame.tsx';
import { inviteTexts } from './texts.ts';

/** An administrator begins in the console, with the next steps. It leads others to their account. */
const WELCOME = `/login?${new URLSearchParams({ return: pagePath('/console/welcome') })}`;

/** From the link of an invitation to the first password. */
export function InvitePage() {
  const { options, session } = useService();
  const [token] = useMailToken();
  const [isDone, setDone] = useState(false);
  const [linkError, setLinkError] = useState<unknown>();
  const texts = inviteTexts();
  const { logIn, off, openLink, toLogin } = mailTexts();
  if (isDone) {
    return (
      <NextPage title={texts.doneTitle} path={options.profile === 'A' ? WELCOME : '/login'} action={logIn}>
        <p>{texts.doneText}</p>
      </NextPage>
    );
  }
  if (linkError !== undefined) {
    return (
      <NextPage title={texts.invalidTitle} path="/login" action={toLogin}>
        <Alert>{textOf(linkError)}</Alert>
        <p>{texts.askAgain}</p>
      </NextPage>
    );
  }
  if (token === undefined || !options.recovery) {
    return (
      <NextPage title={texts.title} path="/login" action={toLogin}>
        <Alert kind="warning">{options.recovery ? openLink : off}</Alert>
      </NextPage>
    );
  }
  return (
    <ChoosePassword
      title={texts.title}
      text={texts.text}
      action={texts.action}
      member="password"
      onSubmit={async (password) => {
        await confirmInvitation(session.anonymous, { body: { token, password } });
        setDone(true);
      }}
      onInvalid={setLinkError}
    />
  );
}
