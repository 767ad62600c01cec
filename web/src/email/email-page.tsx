import { useState } from 'preact/hooks';
import { confirmEmail, stopEmailChange } from '../../../client/src/operations.ts';
import { codeOf, textOf } from '../errors.ts';
import { NextPage } from '../mail/next-page.tsx';
import { mailTexts } from '../mail/texts.ts';
import { useNamedToken, type NamedToken } from '../mail/token.ts';
import { ActError, useAct } from '../ui/act.tsx';
import { Alert } from '../ui/alert.tsx';
import { useFocus } from '../ui/focus.ts';
import { CardPage, useService } from '../ui/frame.tsx';
import { confirmTexts, stopTexts } from './texts.ts';

/** The links of mails to this page, by the names of their tokens. */
const LINKS = {
  token: { send: confirmEmail, texts: confirmTexts },
  stop: { send: stopEmailChange, texts: stopTexts },
} as const;

/** From the link of a mail to the confirmed address, or to a change that is stopped. */
export function EmailPage() {
  const { options } = useService();
  const [link] = useNamedToken();
  const [isDone, setDone] = useState(false);
  const [linkError, setLinkError] = useState<unknown>();
  const { off, openLink, toAccount, toLogin } = mailTexts();
  const { title, doneTitle, doneText, invalidTitle, askAgain } = LINKS[link?.name ?? 'token'].texts();
  // Under Profile B, there is no page of the account.
  const next = options.profile === 'A' ? { path: '/account', action: toAccount } : { path: '/login', action: toLogin };
  if (isDone) {
    return (
      <NextPage title={doneTitle} {...next}>
        <p>{doneText}</p>
      </NextPage>
    );
  }
  if (linkError !== undefined) {
    return (
      <NextPage title={invalidTitle} {...next}>
        <Alert>{textOf(linkError)}</Alert>
        <p>{askAgain}</p>
      </NextPage>
    );
  }
  if (link === undefined || !options.recovery) {
    return (
      <NextPage title={title} {...next}>
        <Alert kind="warning">{options.recovery ? openLink : off}</Alert>
      </NextPage>
    );
  }
  return <Question link={link} onDone={() => setDone(true)} onInvalid={setLinkError} />;
}

interface QuestionProps {
  readonly link: NamedToken;
  readonly onDone: () => void;
  readonly onInvalid: (error: unknown) => void;
}

/** Sends the token after a click. */
function Question({ link: { name, token }, onDone, onInvalid }: QuestionProps) {
  const { session } = useService();
  const button = useFocus<HTMLButtonElement>();
  const { title, text, action } = LINKS[name].texts();
  const send = useAct(async () => {
    try {
      await LINKS[name].send(session.anonymous, { body: { token } });
    } catch (error) {
      if (codeOf(error) !== 'mail-token-invalid') throw error;
      return onInvalid(error);
    }
    onDone();
  });
  return (
    <CardPage title={title}>
      <ActError act={send} />
      <p>{text}</p>
      <button ref={button} class="primary" aria-disabled={send.isBusy} onClick={() => send.run()}>
        {action}
      </button>
    </CardPage>
  );
}
