// Proofs that it is the user: by the password, or by a second factor if the account has one.
import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';
import { getPasskey, hasPasskeys } from '../../../client/src/factors.ts';
import {
  confirmSession,
  createConfirmationPasskeyOptions,
  type ConfirmSessionRequest,
} from '../../../client/src/operations.ts';
import { codeOf, PageError } from '../errors.ts';
import { logOut } from '../log-out.ts';
import { factorTexts } from '../texts/factors.ts';
import { freshSessionTexts } from '../texts/fresh-session.ts';
import { ActError, useAct } from './act.tsx';
import { Alert } from './alert.tsx';
import { CodeField } from './code-field.tsx';
import { PasswordField } from './field.tsx';
import { useFocus } from './focus.ts';
import { Form, Submit } from './form.tsx';
import { useService } from './frame.tsx';

export type ProofMethod = 'password' | 'totp' | 'passkey';

interface ProofMethodsProps extends MethodProps {
  /** Those that the account has. Empty if it first needs a second factor. */
  readonly methods: readonly ProofMethod[];
  /** Further choices. */
  readonly children?: ComponentChildren;
}

/** Confirms the session by one of the methods that this browser supports. */
export function ProofMethods({ methods, children, ...props }: ProofMethodsProps) {
  const { options, session } = useService();
  const offersPasskeys = options.passkeys && hasPasskeys();
  const supported = methods.filter((method) => method in METHODS && (method !== 'passkey' || offersPasskeys));
  const [chosen, choose] = useState(supported[0]);
  const leave = useAct(() => logOut(session));
  const texts = freshSessionTexts();
  const names = { password: texts.usePassword, totp: texts.useTotp, passkey: texts.usePasskey };
  const Method = chosen && METHODS[chosen];
  return (
    <>
      {Method ? (
        <Method key={chosen} {...props} />
      ) : (
        <Alert kind="warning">{methods.length > 0 ? texts.noMethod : texts.noFactor}</Alert>
      )}
      <ActError act={leave} />
      <div class="choices">
        {supported
          .filter((method) => method !== chosen)
          .map((method) => (
            <button key={method} type="button" class="quiet" onClick={() => choose(method)}>
              {names[method]}
            </button>
          ))}
        <button type="button" class="quiet" aria-disabled={leave.isBusy} onClick={() => leave.run()}>
          {texts.logInAgain}
        </button>
        {children}
      </div>
    </>
  );
}

interface MethodProps {
  readonly onConfirmed: () => void;
  /** Is called if the account needs another method. */
  readonly onStale: () => void;
}

const METHODS: Readonly<Record<ProofMethod, (props: MethodProps) => JSX.Element>> = {
  password: PasswordProof,
  totp: TotpProof,
  passkey: PasskeyProof,
};

/**
 * Returns a function that sends a proof.
 *
 * @param refusal The text for a wrong proof: minimal disclosure has one error for all of them.
 */
function useProof(
  { onConfirmed, onStale }: MethodProps,
  refusal: string,
): (proof: ConfirmSessionRequest) => Promise<void> {
  const { session } = useService();
  return async (body) => {
    await confirmSession(session, { body }).catch((error: unknown) => {
      if (codeOf(error) === 'second-factor-required') onStale();
      throw REFUSALS.has(codeOf(error) ?? '') ? new PageError(refusal) : error;
    });
    onConfirmed();
  };
}

const REFUSALS: ReadonlySet<string> = new Set(['bad-credentials', 'second-factor-invalid']);

function PasswordProof(props: MethodProps) {
  const texts = freshSessionTexts();
  const prove = useProof(props, texts.wrongPassword);
  return (
    <Form
      focus="password"
      fieldOf={(error) => (error instanceof PageError ? 'password' : undefined)}
      onSubmit={({ password = '' }) => prove({ password })}
    >
      <PasswordField
        name="password"
        label={texts.password}
        autocomplete="current-password"
        maxLength={1024}
        required
        autofocus
      />
      <Submit>{texts.confirm}</Submit>
    </Form>
  );
}

function TotpProof(props: MethodProps) {
  const prove = useProof(props, factorTexts().wrongCode);
  return (
    <Form
      focus="code"
      fieldOf={(error) => (error instanceof PageError ? 'code' : undefined)}
      onSubmit={({ code = '' }) => prove({ totp: code })}
    >
      <CodeField />
      <Submit>{freshSessionTexts().confirm}</Submit>
    </Form>
  );
}

function PasskeyProof(props: MethodProps) {
  const { session } = useService();
  const texts = freshSessionTexts();
  const prove = useProof(props, texts.wrongPasskey);
  const button = useFocus<HTMLButtonElement>();
  const confirm = useAct(async () => {
    const { data } = await createConfirmationPasskeyOptions(session);
    await prove({ passkey: await getPasskey(data.options) });
  });
  return (
    <>
      <ActError act={confirm} />
      <button ref={button} type="button" class="primary" aria-disabled={confirm.isBusy} onClick={() => confirm.run()}>
        {texts.confirmWithPasskey}
      </button>
    </>
  );
}
