import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { getPasskey, hasPasskeys } from '../../../client/src/factors.ts';
import type { FactorStep, LoginStep, SecondFactor } from '../../../client/src/index.ts';
import { createSecondFactorPasskeyOptions } from '../../../client/src/operations.ts';
import { codeOf, PageError, textOf } from '../errors.ts';
import { useAct } from '../ui/act.tsx';
import { Alert } from '../ui/alert.tsx';
import { Field } from '../ui/field.tsx';
import { Form, Submit } from '../ui/form.tsx';
import { useFocus } from '../ui/focus.ts';
import { CardPage, useService } from '../ui/frame.tsx';
import { CodeField } from '../ui/code-field.tsx';
import { loginTexts } from './texts.ts';

export interface StepProps {
  readonly step: FactorStep;
  readonly onStep: (step: LoginStep) => void;
  /** Leads back to the password, with the error that is the reason. */
  readonly onRestart: (error?: unknown) => void;
}

interface ExpiryProps extends Pick<StepProps, 'onRestart'> {
  readonly step: { readonly expiresAt: number };
}

/** Ends the step when its challenge expires. */
export function useExpiry({ step, onRestart }: ExpiryProps): void {
  useEffect(() => {
    const expired = () => onRestart(new PageError(loginTexts().expired));
    const timer = setTimeout(expired, step.expiresAt - Date.now());
    return () => clearTimeout(timer);
  }, [step]);
}

/**
 * Returns a function that answers the step. A step that has ended leads back to the password. All other errors are thrown.
 */
export function useAnswer({ step, onStep, onRestart }: StepProps): (factor: SecondFactor) => Promise<void> {
  return async (factor) => {
    try {
      onStep(await step.answer(factor));
    } catch (error) {
      if (codeOf(error) === 'challenge-invalid') return onRestart(error);
      // Minimal disclosure has one error for wrong codes and expired logins.
      throw codeOf(error) === 'bad-credentials' ? new PageError(loginTexts().codeRefused) : error;
    }
  };
}

/** Asks for a second factor, by one of the methods of the account. */
export function FactorScreen(props: StepProps) {
  const { step, onRestart } = props;
  useExpiry(props);
  const methods = step.methods.filter((method) => method in METHODS && (method !== 'passkey' || hasPasskeys()));
  const [chosen, choose] = useState(methods[0]);
  const texts = loginTexts();
  const Method = METHODS[chosen ?? ''];
  const titles: Readonly<Record<string, string>> = {
    totp: texts.useTotp,
    passkey: texts.usePasskey,
    'recovery-code': texts.useRecoveryCode,
    'access-code': texts.useAccessCode,
  };
  return (
    <CardPage title={texts.factorTitle}>
      {Method ? <Method key={chosen} {...props} /> : <Alert>{texts.noMethod}</Alert>}
      <div class="choices">
        {methods
          .filter((method) => method !== chosen)
          .map((method) => (
            <button key={method} class="quiet" onClick={() => choose(method)}>
              {titles[method]}
            </button>
          ))}
        <button class="quiet" onClick={() => onRestart()}>
          {texts.startAgain}
        </button>
      </div>
      <p class="hint">{texts.lostFactor}</p>
    </CardPage>
  );
}

const METHODS: Readonly<Record<string, (props: StepProps) => JSX.Element>> = {
  totp: TotpForm,
  passkey: PasskeyButton,
  'recovery-code': RecoveryCodeForm,
  'access-code': AccessCodeForm,
};

function TotpForm(props: StepProps) {
  const answer = useAnswer(props);
  const texts = loginTexts();
  return (
    <Form
      focus="code"
      fieldOf={(error) => (isRefusal(error) ? 'code' : undefined)}
      onSubmit={({ code = '' }) => answer({ totp: code })}
    >
      <p>{texts.totpText}</p>
      <CodeField />
      <Submit>{texts.logIn}</Submit>
    </Form>
  );
}

function RecoveryCodeForm(props: StepProps) {
  const answer = useAnswer(props);
  const texts = loginTexts();
  return (
    <Form
      focus="recoveryCode"
      fieldOf={(error) => (isRefusal(error) ? 'recoveryCode' : undefined)}
      onSubmit={({ recoveryCode = '' }) => answer({ recoveryCode })}
    >
      <Field
        name="recoveryCode"
        label={texts.recoveryCode}
        hint={texts.recoveryCodeHint}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        maxLength={64}
        required
        autofocus
      />
      <Submit>{texts.logIn}</Submit>
    </Form>
  );
}

/** A code that an administrator has told. */
function AccessCodeForm(props: StepProps) {
  const answer = useAnswer(props);
  const texts = loginTexts();
  return (
    <Form
      focus="accessCode"
      fieldOf={(error) => (isRefusal(error) ? 'accessCode' : undefined)}
      onSubmit={({ accessCode = '' }) => answer({ accessCode })}
    >
      <Field
        name="accessCode"
        label={texts.accessCode}
        hint={texts.accessCodeHint}
        autocomplete="off"
        inputMode="numeric"
        maxLength={64}
        required
        autofocus
      />
      <Submit>{texts.logIn}</Submit>
    </Form>
  );
}

const isRefusal = (error: unknown): boolean => error instanceof PageError || codeOf(error) === 'second-factor-invalid';

function PasskeyButton(props: StepProps) {
  const { session } = useService();
  const answer = useAnswer(props);
  const { challenge } = props.step;
  const texts = loginTexts();
  const button = useFocus<HTMLButtonElement>();
  const passkey = useAct(async () => {
    const { data } = await createSecondFactorPasskeyOptions(session.anonymous, { body: { challenge } }).catch(
      (error: unknown) => {
        if (codeOf(error) !== 'challenge-invalid') throw error;
        props.onRestart(error);
        return { data: undefined };
      },
    );
    if (data) await answer({ passkey: await getPasskey(data.options) });
  });
  return (
    <>
      {passkey.error !== undefined && (
        <Alert>
          {codeOf(passkey.error) === 'second-factor-invalid' ? texts.passkeyUnknown : textOf(passkey.error)}
        </Alert>
      )}
      <p>{texts.passkeyText}</p>
      <button ref={button} class="primary" aria-disabled={passkey.isBusy} onClick={() => passkey.run()}>
        {texts.logInWithPasskey}
      </button>
    </>
  );
}
