import { useRef, useState } from 'preact/hooks';
import { hasPasskeys } from '../../../client/src/factors.ts';
import type { LoginStep } from '../../../client/src/index.ts';
import { pathWithRequest, requestId } from '../authorization/request.ts';
import { codeOf, textOf } from '../errors.ts';
import { pagePath } from '../service.ts';
import { useAct } from '../ui/act.tsx';
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
  /** Leads back to the session that the browser has, if it has one. */
  readonly onBack: (() => void) | undefined;
}

/** Username and password, or a passkey alone. */
export function PasswordScreen({ username, onUsername, error, onStep, onBack }: PasswordScreenProps) {
  const { options, session } = useService();
  const remember = useRef(false);
  const [isKnown] = useState(username !== '');
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
      {onBack && <p>{texts.otherAccountText}</p>}
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
          autofocus={!isKnown}
          value={username}
          onInput={({ currentTarget }) => onUsername(currentTarget.value)}
        />
        <PasswordField
          name="password"
          label={texts.password}
          autocomplete="current-password"
          maxLength={1024}
          required
          autofocus={isKnown}
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
          <a href={pagePath(pathWithRequest('/recover', requestId()))}>{texts.forgotPassword}</a>
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
      {onBack && (
        <div class="choices">
          <button class="quiet" onClick={onBack}>
            {texts.back}
          </button>
        </div>
      )}
    </CardPage>
  );
}
