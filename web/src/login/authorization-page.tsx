import { useEffect, useState } from 'preact/hooks';
import { knownApplication, OVER, useAuthorizationRequest } from '../authorization/request.ts';
import { Requester } from '../authorization/requester.tsx';
import { authorizationTexts } from '../authorization/texts.ts';
import { textOf } from '../errors.ts';
import { useSessionUser } from '../session-status.ts';
import { commonTexts } from '../texts/common.ts';
import { Alert } from '../ui/alert.tsx';
import { CardHead, CardPage, LoadingPage, useService } from '../ui/frame.tsx';
import { Name, TextWithName } from '../ui/name.tsx';
import { Continuation } from './continuation.tsx';
import { Login } from './login.tsx';
import { loginTexts } from './texts.ts';

/** The login for an application: from its request to the redirect. */
export function AuthorizationPage({ id }: { readonly id: string }) {
  const { session } = useService();
  const userId = useSessionUser();
  const request = useAuthorizationRequest(id);
  const [isOver, setOver] = useState(false);
  // How often the user has asked for another account.
  const [others, setOthers] = useState(0);
  // The session is restored while the request is loading.
  useEffect(() => void session.restore().catch(() => undefined), [session]);
  useEffect(() => {
    // The browser may have kept this page for its back button longer than the request lasts.
    const check = ({ persisted }: PageTransitionEvent) => persisted && request.reload();
    addEventListener('pageshow', check);
    return () => removeEventListener('pageshow', check);
  }, [request.reload]);

  const { data, error, reload } = request;
  if (isOver || data === OVER) return <Over id={id} />;
  if (data === undefined) {
    if (error === undefined) return <LoadingPage title={loginTexts().title} />;
    return (
      <CardPage title={loginTexts().title}>
        <Alert>
          <p>{textOf(error)}</p>
          <button onClick={reload}>{commonTexts().retry}</button>
        </Alert>
      </CardPage>
    );
  }
  const { application, loginHint, scopes } = data;
  return (
    <CardHead.Provider value={<Requester application={application} />}>
      <Login key={others} hint={loginHint ?? ''} onBack={others === 0 ? undefined : () => setOthers(0)}>
        {(isNew) => (
          <Continuation
            // Another tab can log in with another account.
            key={userId}
            id={id}
            application={application}
            scopes={scopes}
            isNew={isNew}
            onOther={() => setOthers(others + 1)}
            onOver={() => setOver(true)}
          />
        )}
      </Login>
    </CardHead.Provider>
  );
}

/** The request has expired, or was answered. Only its application can make another one. */
function Over({ id }: { readonly id: string }) {
  const { name, homeUrl } = knownApplication(id) ?? {};
  const texts = authorizationTexts();
  return (
    <CardPage title={texts.overTitle}>
      <p>{texts.overText}</p>
      {homeUrl === undefined ? (
        <p>
          {name === undefined ? (
            texts.startAgainAnywhere
          ) : (
            <>
              {texts.startAgain} <Name>{name}</Name>
            </>
          )}
        </p>
      ) : (
        <p class="actions">
          <a class="button primary" href={homeUrl}>
            <TextWithName text={texts.goTo} name={name} />
          </a>
        </p>
      )}
    </CardPage>
  );
}
