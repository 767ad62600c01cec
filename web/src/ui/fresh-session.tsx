// The dialog that confirms the session: by the password, or by a second factor if the account has one.
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { getPasskey, hasPasskeys } from '../../../client/src/factors.ts';
import {
  confirmSession,
  createConfirmationPasskeyOptions,
  getMyFactors,
  type ConfirmSessionRequest,
  type Factors,
} from '../../../client/src/operations.ts';
import { codeOf, PageError } from '../errors.ts';
import { useQuery } from '../query.ts';
import { factorTexts } from '../texts/factors.ts';
import { freshSessionTexts } from '../texts/fresh-session.ts';
import { ActError, useAct } from './act.tsx';
import { Alert } from './alert.tsx';
import { CodeField } from './code-field.tsx';
import { Dialog } from './dialog.tsx';
import { PasswordField } from './field.tsx';
import { useFocus } from './focus.ts';
import { Form, Submit } from './form.tsx';
import { useService } from './frame.tsx';
import { QueryView } from './query-view.tsx';

interface Question {
  readonly answer: (isConfirmed: boolean) => void;
  readonly isConfirmed: Promise<boolean>;
}

const asked = signal<Question | undefined>(undefined);

/** Opens the dialog. Acts that need it at the same time share it. */
export function askForFreshSession(): Promise<boolean> {
  if (!asked.value) {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    asked.value = { answer: resolve, isConfirmed: promise };
  }
  return asked.value.isConfirmed;
}

/** The dialog of `askForFreshSession`. The frame contains it once. */
export function FreshSessionDialog() {
  const question = asked.value;
  if (!question) return null;
  const close = (isConfirmed: boolean) => {
    asked.value = undefined;
    question.answer(isConfirmed);
  };
  return (
    <Dialog title={freshSessionTexts().title} onClose={() => close(false)}>
      <Confirmation onConfirmed={() => close(true)} />
    </Dialog>
  );
}

type Method = 'password' | 'totp' | 'passkey';

function Confirmation({ onConfirmed }: Pick<MethodProps, 'onConfirmed'>) {
  const { options, session } = useService();
  const factors = useQuery(async (signal) => (await getMyFactors(session, {}, { signal })).data, []);
  const texts = freshSessionTexts();
  return (
    <>
      <p>{texts.reason}</p>
      <QueryView query={factors}>
        {(data) => {
          const methods = methodsOf(data, options.passkeys && hasPasskeys());
          const none = data.totp || data.passkeys ? texts.noMethod : texts.noFactor;
          // The methods change if another tab adds or removes a factor.
          return <Methods key={methods.join()} {...{ methods, none, onConfirmed }} onStale={factors.reload} />;
        }}
      </QueryView>
    </>
  );
}

/** A password does not suffice for an account that has a second factor, or whose tenant requires one. */
function methodsOf({ totp, passkeys = [], required }: Factors, offersPasskeys: boolean): readonly Method[] {
  if (!totp && passkeys.length === 0) return required ? [] : ['password'];
  return [
    ...(totp ? (['totp'] as const) : []),
    ...(passkeys.length > 0 && offersPasskeys ? (['passkey'] as const) : []),
  ];
}

interface MethodsProps extends MethodProps {
  readonly methods: readonly Method[];
  /** What to do without any of them. */
  readonly none: string;
}

function Methods({ methods, none, ...props }: MethodsProps) {
  const { session } = useService();
  const [chosen, choose] = useState(methods[0]);
  const logOut = useAct(() => session.logout());
  const texts = freshSessionTexts();
  const names = { password: texts.usePassword, totp: texts.useTotp, passkey: texts.usePasskey };
  const Method = chosen && METHODS[chosen];
  return (
    <>
      {Method ? <Method key={chosen} {...props} /> : <Alert kind="warning">{none}</Alert>}
      <ActError act={logOut} />
      <div class="choices">
        {methods
          .filter((method) => method !== chosen)
          .map((method) => (
            <button key={method} type="button" class="quiet" onClick={() => choose(method)}>
              {names[method]}
            </button>
          ))}
        <button type="button" class="quiet" aria-disabled={logOut.isBusy} onClick={() => logOut.run()}>
          {texts.logInAgain}
        </button>
      </div>
    </>
  );
}

interface MethodProps {
  readonly onConfirmed: () => void;
  /** Is called if the account needs another method. */
  readonly onStale: () => void;
}

const METHODS: Readonly<Record<Method, (props: MethodProps) => JSX.Element>> = {
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
