import { useState } from 'preact/hooks';
import { confirmEmail } from '../../../client/src/operations.ts';
import { codeOf, textOf } from '../errors.ts';
import { NextPage } from '../mail/next-page.tsx';
import { mailTexts } from '../mail/texts.ts';
import { useMailToken } from '../mail/token.ts';
import { ActError, useAct } from '../ui/act.tsx';
import { Alert } from '../ui/alert.tsx';
import { useFocus } from '../ui/focus.ts';
import { CardPage, useService } from '../ui/frame.tsx';
import { emailTexts } from './texts.ts';

/** From the link of a mail to the confirmed address. */
export function EmailPage() {
  const { options } = useService();
  const [token] = useMailToken();
  const [isDone, setDone] = useState(false);
  const [linkError, setLinkError] = useState<unknown>();
  const texts = emailTexts();
  const { off, openLink, toAccount, toLogin } = mailTexts();
  // Under Profile B, there is no page of the account.
  const next = options.profile === 'A' ? { path: '/account', action: toAccount } : { path: '/login', action: toLogin };
  if (isDone) {
    return (
      <NextPage title={texts.doneTitle} {...next}>
        <p>{texts.doneText}</p>
      </NextPage>
    );
  }
  if (linkError !== undefined) {
    return (
      <NextPage title={texts.invalidTitle} {...next}>
        <Alert>{textOf(linkError)}</Alert>
        <p>{texts.askAgain}</p>
      </NextPage>
    );
  }
  if (token === undefined || !options.recovery) {
    return (
      <NextPage title={texts.title} {...next}>
        <Alert kind="warning">{options.recovery ? openLink : off}</Alert>
      </NextPage>
    );
  }
  return <Confirm token={token} onDone={() => setDone(true)} onInvalid={setLinkError} />;
}

interface ConfirmProps {
  readonly token: string;
  readonly onDone: () => void;
  readonly onInvalid: (error: unknown) => void;
}

function Confirm({ token, onDone, onInvalid }: ConfirmProps) {
  const { session } = useService();
  const button = useFocus<HTMLButtonElement>();
  const texts = emailTexts();
  const confirm = useAct(async () => {
    try {
      await confirmEmail(session.anonymous, { body: { token } });
    } catch (error) {
      if (codeOf(error) !== 'mail-token-invalid') throw error;
      return onInvalid(error);
    }
    onDone();
  });
  return (
    <CardPage title={texts.title}>
      <ActError act={confirm} />
      <p>{texts.text}</p>
      <button ref={button} class="primary" aria-disabled={confirm.isBusy} onClick={() => confirm.run()}>
        {texts.action}
      </button>
    </CardPage>
  );
}
