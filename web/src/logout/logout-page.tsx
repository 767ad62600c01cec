// Asks the user whether an application may log out: `/logout?request=`. The service has judged the application and its URI.
import { useEffect, useState } from 'preact/hooks';
import { confirmLogout } from '../../../client/src/operations.ts';
import { requestId } from '../authorization/request.ts';
import { codeOf } from '../errors.ts';
import { preferLanguages } from '../i18n.ts';
import { Login } from '../login/login.tsx';
import { pagePath } from '../service.ts';
import { commonTexts } from '../texts/common.ts';
import { ActError, useAct } from '../ui/act.tsx';
import { useFocus } from '../ui/focus.ts';
import { CardPage, LoadingPage, useService } from '../ui/frame.tsx';
import { logoutTexts } from './texts.ts';

type End = { readonly kind: 'over' } | { readonly kind: 'done' } | { readonly kind: 'leaving'; readonly url: string };

export function LogoutPage() {
  const { options } = useService();
  const id = requestId();
  const [end, setEnd] = useState<End | undefined>(id === undefined ? { kind: 'over' } : undefined);
  useEffect(() => preferLanguages((new URLSearchParams(location.search).get('ui_locales') ?? '').split(' ')), []);
  if (end !== undefined || id === undefined) return <EndScreen end={end ?? { kind: 'over' }} />;
  const question = <Question id={id} onEnd={setEnd} />;
  // Under Profile B, no cookie has the session: only its user can end it.
  return options.profile === 'A' ? question : <Login>{() => question}</Login>;
}

interface QuestionProps {
  readonly id: string;
  readonly onEnd: (end: End) => void;
}

function Question({ id, onEnd }: QuestionProps) {
  const { options, session } = useService();
  const button = useFocus<HTMLButtonElement>();
  const texts = logoutTexts();
  const logOut = useAct(async () => {
    try {
      const caller = options.profile === 'A' ? session.anonymous : session;
      const { redirectTo } = (await confirmLogout(caller, { path: { id } })).data;
      onEnd(redirectTo === undefined ? { kind: 'done' } : { kind: 'leaving', url: redirectTo });
      if (redirectTo !== undefined) location.replace(redirectTo);
    } catch (error) {
      if (codeOf(error) !== 'not-found') throw error;
      onEnd({ kind: 'over' });
    }
  });
  return (
    <CardPage title={texts.title}>
      <ActError act={logOut} />
      <p>{texts.text}</p>
      <button ref={button} class="primary wide" aria-disabled={logOut.isBusy} onClick={() => logOut.run()}>
        {commonTexts().logOut}
      </button>
      <p>
        <a href={pagePath('/account')}>{texts.stay}</a>
      </p>
    </CardPage>
  );
}

/** The browser leaves the page. A URL of another program leaves it open, and some browsers ask before they follow it. */
function EndScreen({ end }: { readonly end: End }) {
  const texts = logoutTexts();
  if (end.kind === 'over') {
    return (
      <CardPage title={texts.overTitle}>
        <p>{texts.overText}</p>
      </CardPage>
    );
  }
  if (end.kind === 'done') {
    return (
      <CardPage title={texts.doneTitle}>
        <p>{texts.doneText}</p>
      </CardPage>
    );
  }
  if (/^https?:/i.test(end.url)) return <LoadingPage title={texts.leavingTitle} />;
  return (
    <CardPage title={texts.leavingTitle}>
      <p>{texts.leavingText}</p>
      <p class="actions">
        <a class="button primary" href={end.url}>
          {texts.goOn}
        </a>
      </p>
    </CardPage>
  );
}
