import { useState } from 'preact/hooks';
import { createPasskey, hasPasskeys } from '../../../client/src/factors.ts';
import { startEnrolment } from '../../../client/src/operations.ts';
import { codeOf, PageError, textOf } from '../errors.ts';
import { commonTexts } from '../texts/common.ts';
import { useQuery } from '../query.ts';
import { ActError, useAct } from '../ui/act.tsx';
import { Alert } from '../ui/alert.tsx';
import { Form, Submit } from '../ui/form.tsx';
import { useFocus } from '../ui/focus.ts';
import { CardPage, useService } from '../ui/frame.tsx';
import { TotpSecret } from '../ui/totp-secret.tsx';
import { CodeField } from '../ui/code-field.tsx';
import { FactorOptions } from './factor-options.tsx';
import { useAnswer, useExpiry, type StepProps } from './factor-screen.tsx';
import { loginTexts } from './texts.ts';

/** Creates the first factor of an account whose tenant requires one. */
export function EnrolmentScreen(props: StepProps) {
  useExpiry(props);
  const offersPasskey = props.step.methods.includes('passkey') && hasPasskeys();
  const [chosen, choose] = useState<'totp' | 'passkey' | undefined>(offersPasskey ? undefined : 'totp');
  const texts = loginTexts();
  return (
    <CardPage title={texts.enrolmentTitle}>
      <p>{texts.enrolmentText}</p>
      {chosen === undefined && <FactorOptions methods={['totp', 'passkey']} onChoose={choose} />}
      {chosen === 'totp' && <TotpEnrolment {...props} />}
      {chosen === 'passkey' && <PasskeyEnrolment {...props} />}
      <div class="choices">
        {offersPasskey && chosen !== undefined && (
          <button class="quiet" onClick={() => choose(undefined)}>
            {texts.otherMethod}
          </button>
        )}
        <button class="quiet" onClick={() => props.onRestart()}>
          {texts.startAgain}
        </button>
      </div>
    </CardPage>
  );
}

function TotpEnrolment(props: StepProps) {
  const { session } = useService();
  const { step, onRestart } = props;
  const answer = useAnswer(props);
  const texts = loginTexts();
  const enrolment = useQuery(
    async (signal) => {
      const body = { challenge: step.challenge, method: 'totp' } as const;
      return (await startEnrolment(session.anonymous, { body }, { signal })).data;
    },
    [step],
  );
  const { data, error, reload } = enrolment;
  if (error !== undefined) {
    return (
      <Alert>
        <p>{textOf(error)}</p>
        <button onClick={() => (codeOf(error) === 'challenge-invalid' ? onRestart() : reload())}>
          {commonTexts().retry}
        </button>
      </Alert>
    );
  }
  if (data?.secret === undefined || data.uri === undefined) {
    return (
      <p class="loading" role="status">
        {commonTexts().loading}
      </p>
    );
  }
  return (
    <Form
      focus="code"
      fieldOf={(failure) =>
        failure instanceof PageError || codeOf(failure) === 'second-factor-invalid' ? 'code' : undefined
      }
      onSubmit={({ code = '' }) => answer({ totp: code })}
    >
      <TotpSecret secret={data.secret} uri={data.uri} />
      <CodeField />
      <Submit>{texts.logIn}</Submit>
    </Form>
  );
}

function PasskeyEnrolment(props: StepProps) {
  const { session } = useService();
  const { challenge } = props.step;
  const answer = useAnswer(props);
  const texts = loginTexts();
  const button = useFocus<HTMLButtonElement>();
  const create = useAct(async () => {
    const body = { challenge, method: 'passkey' } as const;
    const { data } = await startEnrolment(session.anonymous, { body });
    await answer({ passkey: await createPasskey(data.options!) });
  });
  return (
    <>
      <ActError act={create} />
      <p>{texts.createPasskeyText}</p>
      <button ref={button} class="primary" aria-disabled={create.isBusy} onClick={() => create.run()}>
        {texts.createPasskey}
      </button>
    </>
  );
}
