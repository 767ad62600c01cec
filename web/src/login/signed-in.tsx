import { useState } from 'preact/hooks';
import { textOf } from '../errors.ts';
import { Alert } from '../ui/alert.tsx';
import { CardPage, useService } from '../ui/frame.tsx';
import { loginTexts } from './texts.ts';

/** Where a login ends if no page wanted it. */
export function SignedIn() {
  const { session } = useService();
  const [error, setError] = useState<unknown>();
  const texts = loginTexts();
  const logOut = () => session.logout().then(() => location.reload(), setError);
  return (
    <CardPage title={texts.loggedIn}>
      {error !== undefined && <Alert>{textOf(error)}</Alert>}
      <p>{texts.loggedInText}</p>
      <button class="primary" onClick={() => void logOut()}>
        {texts.logOut}
      </button>
    </CardPage>
  );
}
