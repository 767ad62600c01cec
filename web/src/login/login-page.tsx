import { useEffect, useState } from 'preact/hooks';
import { listMyAuditRecords } from '../../../client/src/operations.ts';
import { requestId } from '../authorization/request.ts';
import { useQuery } from '../query.ts';
import { LoadingPage, useService } from '../ui/frame.tsx';
import { AuthorizationPage } from './authorization-page.tsx';
import { EndedScreen } from './ended-screen.tsx';
import { findEndedSessions } from './ended-sessions.ts';
import { Login } from './login.tsx';
import { goOn, isReturnHere } from './return.ts';
import { SignedIn } from './signed-in.tsx';
import { loginTexts } from './texts.ts';

/** The login of an application's request, or the login that leads to a page: `?request=` or `?return=`. */
export function LoginPage() {
  const id = requestId();
  if (id !== undefined) return <AuthorizationPage id={id} />;
  return <Login>{(isNew) => <End isNew={isNew} />}</Login>;
}

/** Own audit records among which the login before this one is looked for. */
const RECORDS = 50;

/**
 * A login leads on, after the user has read why an administrator has ended sessions. An earlier session leads on only within the service:
 * a page elsewhere could lead back here, without an end.
 */
function End({ isNew }: { readonly isNew: boolean }) {
  const { options, session } = useService();
  // Beside the login, which does not fail with it.
  const records = useQuery(
    async (signal) =>
      isNew ? (await listMyAuditRecords(session, { query: { perPage: RECORDS } }, { signal })).data : [],
    [session, isNew],
  );
  const [isRead, setRead] = useState(false);
  const ended = isRead ? undefined : findEndedSessions(records.data ?? []);
  const leads = isNew ? options.profile === 'A' || isReturnHere() !== undefined : isReturnHere() === true;
  const goesOn = leads && !records.isLoading && !ended;
  useEffect(() => {
    if (goesOn) goOn();
  }, [goesOn]);
  if (ended) return <EndedScreen ended={ended} onContinue={() => setRead(true)} />;
  return leads ? <LoadingPage title={loginTexts().title} /> : <SignedIn />;
}
