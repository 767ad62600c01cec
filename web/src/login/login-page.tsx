import { useEffect } from 'preact/hooks';
import { requestId } from '../authorization/request.ts';
import { LoadingPage, useService } from '../ui/frame.tsx';
import { AuthorizationPage } from './authorization-page.tsx';
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

/** A login leads on. An earlier session does so only within the service: a page elsewhere could lead back here, without an end. */
function End({ isNew }: { readonly isNew: boolean }) {
  const { options } = useService();
  const leads = isNew ? options.profile === 'A' || isReturnHere() !== undefined : isReturnHere() === true;
  useEffect(() => {
    if (leads) goOn();
  }, [leads]);
  return leads ? <LoadingPage title={loginTexts().title} /> : <SignedIn />;
}
