import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ApiError, type LoginStep } from '../../../client/src/index.ts';
import { textOf } from '../errors.ts';
import { useQuery } from '../query.ts';
import { useSessionStatus, useSessionUser } from '../session-status.ts';
import { commonTexts } from '../texts/common.ts';
import { Alert } from '../ui/alert.tsx';
import { CardPage, LoadingPage, useService } from '../ui/frame.tsx';
import { EnrolmentScreen } from './enrolment-screen.tsx';
import { FactorScreen } from './factor-screen.tsx';
import { PasswordChangeScreen } from './password-change-screen.tsx';
import { PasswordScreen } from './password-screen.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { loginTexts } from './texts.ts';

/** The client waits 5 s for the refresh of a page that was left meanwhile. The form appears before, and can be filled in. */
const PATIENCE_MS = 500;

/** Why the user is here again: a page has led here when its session ended. */
const endOfSession = new URLSearchParams(location.search).has('ended')
  ? new ApiError('The session has ended', { status: 401, code: 'session-ended' })
  : undefined;

interface LoginProps {
  /** The username that is filled in. */
  readonly hint?: string;
  /** Leads back to the session of the browser. If it is there, the user logs in with another account. */
  readonly onBack?: (() => void) | undefined;
  /**
   * What follows the login.
   *
   * @param isNew Whether the session began in this page.
   */
  readonly children: (isNew: boolean) => ComponentChildren;
}

/** From the password to the session. */
export function Login({ hint = '', onBack, children }: LoginProps) {
  const { session } = useService();
  const status = useSessionStatus();
  const userId = useSessionUser();
  const restored = useQuery(() => session.restore(), []);
  const [step, setStep] = useState<LoginStep>();
  const [username, setUsername] = useState(hint);
  const [restartError, setRestartError] = useState<unknown>();
  const [isLate, setLate] = useState(false);
  const isRestoring = status === 'unknown' && restored.error === undefined;
  useEffect(() => {
    const timer = isRestoring && setTimeout(() => setLate(true), PATIENCE_MS);
    return () => clearTimeout(timer || undefined);
  }, [isRestoring]);

  // Another tab can log in with another account.
  const isNew = step?.kind === 'session' && step.user.id === userId;
  const codes = step?.kind === 'session' ? step.recoveryCodes : undefined;

  function restart(error?: unknown): void {
    setRestartError(error);
    setStep(undefined);
  }

  if (codes)
    return <RecoveryCodes codes={codes} onSaved={() => setStep({ ...step, recoveryCodes: undefined } as LoginStep)} />;
  if (status === 'signed-in' && (isNew || !onBack)) return <>{children(isNew)}</>;
  if (step?.kind === 'second-factor') return <FactorScreen step={step} onStep={setStep} onRestart={restart} />;
  if (step?.kind === 'enrolment') return <EnrolmentScreen step={step} onStep={setStep} onRestart={restart} />;
  if (step?.kind === 'password-change')
    return <PasswordChangeScreen step={step} onStep={setStep} onRestart={restart} />;
  if (isRestoring && !isLate) return <LoadingPage title={loginTexts().title} />;
  if (status === 'unknown' && !isLate) {
    return (
      <CardPage title={loginTexts().title}>
        <Alert>{textOf(restored.error)}</Alert>
        <button onClick={restored.reload}>{commonTexts().retry}</button>
      </CardPage>
    );
  }
  return (
    <PasswordScreen
      username={username}
      onUsername={setUsername}
      error={restartError ?? (status === 'unknown' ? restored.error : endOfSession)}
      onStep={setStep}
      onBack={status === 'signed-in' ? onBack : undefined}
    />
  );
}
