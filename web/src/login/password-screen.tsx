import { useRef } from 'preact/hooks';
import { hasPasskeys } from '../../../client/src/factors.ts';
import type { LoginStep } from '../../../client/src/index.ts';
import { codeOf, textOf } from '../errors.ts';
import { useAct } from '../ui/act.tsx';
import { pagePath } from '../service.ts';
import { Alert } from '../ui/alert.tsx';
import { CheckField, Field, PasswordField } from '../ui/field.tsx';
import { Form, Submit } from '../ui/form.tsx';
import { CardPage, useService } from '../ui/frame.tsx';
import { usePasskeyLogin } from './passkey-login.ts';
import { loginTexts } from './texts.ts';

/** The field of an error that concerns only one. A wrong password could also be a wrong username. */
const FIELDS: Readonly<Record<string, string>> = { 'account-not-found': 'username' };

interface PasswordScreenProps {
  readonly username: string;
  readonly onUsername: (username: string) => void;
  /** The error that led back here. */
  readonly error: unknown;
  readonly onStep: (step: LoginStep) => void;
}

/** Username and password, or a passkey alone. */
export function PasswordScreen({ username, onUsername, error, onStep }: PasswordScreenProps) {
  const { options, session } = useService();
  const remember = useRef(false);
  const offersPasskeys = options.passkeys && hasPasskeys();
  const askForPasskey = usePasskeyLogin(offersPasskeys, async (credentials) => {
    onStep(await session.login({ ...credentials, rememberMe: remember.current }));
  });
  const passkey = useAct(askForPasskey);
  const texts = loginTexts();
  return (
    <CardPage title={texts.title}>
      {passkey.error !== undefined ? (
        <Alert>{textOf(passkey.error)}</Alert>
      ) : (
        error !== undefined && <Alert>{textOf(error)}</Alert>
      )}
      <Form
        focus="password"
        fieldOf={(failure) => FIELDS[codeOf(failure) ?? '']}
        onSubmit={async ({ password = '' }) => {
          onStep(await session.login({ username, password, rememberMe: remember.current }));
        }}
      >
        <Field
          name="username"
          label={texts.username}
          autocomplete={offersPasskeys ? 'username webauthn' : 'username'}
          autocapitalize="off"
          spellcheck={false}
          maxLength={254}
          required
          autofocus
          value={username}
          onInput={({ currentTarget }) => onUsername(currentTarget.value)}
        />
        <PasswordField
          name="password"
          label={texts.password}
          autocomplete="current-password"
          maxLength={1024}
          required
        />
        {options.profile === 'A' && (
          <CheckField
            name="rememberMe"
            label={texts.rememberMe}
            onInput={({ currentTarget }) => {
              remember.current = currentTarget.checked;
            }}
          />
        )}
        <Submit>{texts.logIn}</Submit>
      </Form>
      {options.recovery && (
        <p>
          <a href={pagePath('/recover')}>{texts.forgotPassword}</a>
        </p>
      )}
      {offersPasskeys && (
        <>
          <p class="or">{texts.or}</p>
          <button class="wide" aria-disabled={passkey.isBusy} onClick={() => passkey.run()}>
            {texts.logInWithPasskey}
          </button>
        </>
      )}
    </CardPage>
  );
}
