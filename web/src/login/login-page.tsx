import { useEffect, useState } from 'preact/hooks';
import type { LoginStep } from '../../../client/src/index.ts';
import { textOf } from '../errors.ts';
import { useQuery } from '../query.ts';
import { useSessionStatus } from '../session-status.ts';
import { commonTexts } from '../texts/common.ts';
import { Alert } from '../ui/alert.tsx';
import { CardPage, useService } from '../ui/frame.tsx';
import { EnrolmentScreen } from './enrolment-screen.tsx';
import { FactorScreen } from './factor-screen.tsx';
import { PasswordScreen } from './password-screen.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { goOn, isReturnHere } from './return.ts';
import { SignedIn } from './signed-in.tsx';
import { loginTexts } from './texts.ts';

/** The client waits 5 s for the refresh of a page that was left meanwhile. The form appears before, and can be filled in. */
const PATIENCE_MS = 500;

/** From the password to the session. */
export function LoginPage() {
  const { options, session } = useService();
  const status = useSessionStatus();
  const restored = useQuery(() => session.restore(), []);
  const [step, setStep] = useState<LoginStep>();
  const [username, setUsername] = useState('');
  const [restartError, setRestartError] = useState<unknown>();
  const [isLate, setLate] = useState(false);
  const isRestoring = status === 'unknown' && restored.error === undefined;
  useEffect(() => {
    const timer = isRestoring && setTimeout(() => setLate(true), PATIENCE_MS);
    return () => clearTimeout(timer || undefined);
  }, [isRestoring]);

  const codes = step?.kind === 'session' ? step.recoveryCodes : undefined;
  const isDone = status === 'signed-in' && codes === undefined;
  // A login leads on. An earlier session does so only within the service: a page elsewhere could lead back here, without an end.
  const leads =
    isDone &&
    (step?.kind === 'session' ? options.profile === 'A' || isReturnHere() !== undefined : isReturnHere() === true);
  useEffect(() => {
    if (leads) goOn();
  }, [leads]);

  function restart(error?: unknown): void {
    setRestartError(error);
    setStep(undefined);
  }

  if (codes)
    return <RecoveryCodes codes={codes} onSaved={() => setStep({ ...step, recoveryCodes: undefined } as LoginStep)} />;
  if (isDone && !leads) return <SignedIn />;
  if (step?.kind === 'second-factor') return <FactorScreen step={step} onStep={setStep} onRestart={restart} />;
  if (step?.kind === 'enrolment') return <EnrolmentScreen step={step} onStep={setStep} onRestart={restart} />;
  if (leads || (isRestoring && !isLate)) {
    return (
      <CardPage title={loginTexts().title}>
        <p class="loading" role="status">
          {commonTexts().loading}
        </p>
      </CardPage>
    );
  }
  if (status === 'unknown' && !isLate) {
    return (
      <CardPage title={loginTexts().title}>
        <Alert>{textOf(restored.error)}</Alert>
        <button onClick={restored.reload}>{commonTexts().retry}</button>
      </CardPage>
    );
  }
  const error = restartError ?? (status === 'unknown' ? restored.error : undefined);
  return <PasswordScreen username={username} onUsername={setUsername} error={error} onStep={setStep} />;
}
