import { useEffect, useState } from 'preact/hooks';
import type { LoginStep } from '../../../client/src/index.ts';
import { textOf } from '../errors.ts';
import { useQuery } from '../query.ts';
import { Alert } from '../ui/alert.tsx';
import { CardPage, useService } from '../ui/frame.tsx';
import { commonTexts } from '../texts/common.ts';
import { PasswordForm } from './password-form.tsx';
import { SignedIn } from './signed-in.tsx';
import { loginTexts } from './texts.ts';
import { goOn, wantedReturn } from './return.ts';

/** From the password to the session. A browser with a session goes on at once. */
export function LoginPage() {
  const { session } = useService();
  const restored = useQuery(() => session.restore(), []);
  const [step, setStep] = useState<LoginStep>();

  const isSignedIn = step?.kind === 'session' || restored.data?.status === 'signed-in';
  useEffect(() => {
    if (isSignedIn && wantedReturn() !== undefined) goOn();
  }, [isSignedIn]);

  const texts = loginTexts();
  if (isSignedIn) return <SignedIn />;
  if (restored.error !== undefined && restored.data === undefined) {
    return (
      <CardPage title={texts.title}>
        <Alert>{textOf(restored.error)}</Alert>
        <button onClick={restored.reload}>{commonTexts().retry}</button>
      </CardPage>
    );
  }
  return (
    <CardPage title={texts.title}>
      <PasswordForm onStep={setStep} />
    </CardPage>
  );
}
