// What a session gets from the request of an application. The service decides; this page shows it, and goes where it says.
import { useEffect, useState } from 'preact/hooks';
import type { Session } from '../../../client/src/index.ts';
import { continueAuthorization } from '../../../client/src/operations.ts';
import { forgetRecovery, recoveredRequest } from '../authorization/request.ts';
import { codeOf } from '../errors.ts';
import { commonTexts } from '../texts/common.ts';
import { ActError, useAct } from '../ui/act.tsx';
import { CardPage, LoadingPage, useService } from '../ui/frame.tsx';
import { ChoiceScreen } from './choice-screen.tsx';
import { ConfirmationScreen } from './confirmation-screen.tsx';
import { ConsentScreen } from './consent-screen.tsx';
import { LeavingScreen } from './leaving-screen.tsx';
import { NotServedScreen } from './not-served-screen.tsx';
import type { Decision, StepScreenProps } from './step-props.ts';
import { loginTexts } from './texts.ts';

type Step =
  | { readonly kind: 'choice' | 'not-served' | 'over' }
  | { readonly kind: 'consent'; readonly scopes: readonly string[] }
  | { readonly kind: 'confirmation'; readonly methods: readonly string[]; readonly decision: Decision | undefined }
  | { readonly kind: 'leaving'; readonly url: string };

interface ContinuationProps extends Pick<StepScreenProps, 'application' | 'onOther'> {
  readonly id: string;
  /** What the application asks for. */
  readonly scopes: readonly string[];
  /** Whether the user has just logged in, and so has chosen the account. */
  readonly isNew: boolean;
  readonly onOver: () => void;
}

export function Continuation({ id, application, scopes, isNew, onOther, onOver }: ContinuationProps) {
  const { session } = useService();
  const [step, setStep] = useState<Step>();
  const decide = useAct(async (decision?: Decision) => {
    // Whoever has just logged in for an application that needs no consent has chosen the account.
    const next = await findStep(session, id, decision, isNew && application.firstParty);
    if (next.kind === 'over') return onOver();
    setStep(next);
    if (next.kind !== 'leaving') return;
    if (recoveredRequest() === id) forgetRecovery();
    location.replace(next.url);
  });
  useEffect(() => whenVisible(() => decide.run()), []);

  const props: StepScreenProps = { application, onOther, decide };
  switch (step?.kind) {
    case 'choice':
      return <ChoiceScreen {...props} scopes={scopes} />;
    case 'consent':
      return <ConsentScreen {...props} scopes={step.scopes} />;
    case 'confirmation':
      return <ConfirmationScreen {...props} {...step} />;
    case 'not-served':
      return <NotServedScreen {...{ application, onOther }} />;
    case 'leaving':
      return <LeavingScreen application={application} url={step.url} />;
    default:
      break;
  }
  const { title } = loginTexts();
  if (decide.error === undefined) return <LoadingPage title={title} />;
  return (
    <CardPage title={title}>
      <ActError act={decide} />
      <button onClick={() => decide.run()}>{commonTexts().retry}</button>
    </CardPage>
  );
}

/** The first answer takes the request. So of two tabs with the same one, that which the user sees gets it. */
function whenVisible(act: () => void): () => void {
  const actOnce = () => {
    if (document.visibilityState !== 'visible') return;
    document.removeEventListener('visibilitychange', actOnce);
    act();
  };
  document.addEventListener('visibilitychange', actOnce);
  actOnce();
  return () => document.removeEventListener('visibilitychange', actOnce);
}

async function findStep(
  session: Session,
  id: string,
  decision: Decision | undefined,
  hasChosen: boolean,
): Promise<Step> {
  try {
    const body = decision === undefined ? {} : { decision };
    const { data } = await continueAuthorization(session, { path: { id }, body });
    const { redirectTo, consentRequired, confirmationRequired } = data;
    if (redirectTo !== undefined) return { kind: 'leaving', url: redirectTo };
    if (consentRequired) return { kind: 'consent', scopes: consentRequired.scopes };
    return { kind: 'confirmation', methods: confirmationRequired?.methods ?? [], decision };
  } catch (error) {
    const code = codeOf(error);
    if (code === 'not-found') return { kind: 'over' };
    if (code === 'permission-denied') return { kind: 'not-served' };
    if (code !== 'validation-error' || decision !== undefined) throw error;
    return hasChosen ? findStep(session, id, 'ALLOW', false) : { kind: 'choice' };
  }
}
