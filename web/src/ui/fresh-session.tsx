// The dialog that confirms the session: by the password, or by a second factor if the account has one.
import { signal } from '@preact/signals';
import { getMyFactors, type Factors } from '../../../client/src/operations.ts';
import type { AskForFreshSession } from '../fresh-session.ts';
import { useQuery } from '../query.ts';
import { freshSessionTexts } from '../texts/fresh-session.ts';
import { Alert } from './alert.tsx';
import { Dialog } from './dialog.tsx';
import { useService } from './frame.tsx';
import { ProofMethods, type ProofMethod } from './proof-methods.tsx';
import { QueryView } from './query-view.tsx';

interface Question {
  /** The second factors that suffice; undefined if each proof does. */
  readonly methods: readonly string[] | undefined;
  readonly answer: (isConfirmed: boolean) => void;
  readonly isConfirmed: Promise<boolean>;
}

const asked = signal<Question | undefined>(undefined);

/** Opens the dialog. Acts that need it at the same time share it. */
export const askForFreshSession: AskForFreshSession = (methods) => {
  if (!asked.value) {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    asked.value = { methods, answer: resolve, isConfirmed: promise };
  }
  return asked.value.isConfirmed;
};

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
      {question.methods?.length === 0 ? (
        <Alert kind="warning">{freshSessionTexts().lacksFactor}</Alert>
      ) : (
        <Confirmation sufficient={question.methods} onConfirmed={() => close(true)} />
      )}
    </Dialog>
  );
}

interface ConfirmationProps {
  readonly sufficient: Question['methods'];
  readonly onConfirmed: () => void;
}

function Confirmation({ sufficient, onConfirmed }: ConfirmationProps) {
  const { session } = useService();
  const factors = useQuery(async (signal) => (await getMyFactors(session, {}, { signal })).data, []);
  return (
    <>
      <p>{freshSessionTexts().reason}</p>
      <QueryView query={factors}>
        {(data) => {
          const methods = methodsOf(data).filter((method) => sufficient?.includes(method) ?? true);
          // The methods change if another tab adds or removes a factor.
          return <ProofMethods key={methods.join()} {...{ methods, onConfirmed }} onStale={factors.reload} />;
        }}
      </QueryView>
    </>
  );
}

/** A password does not suffice for an account that has a second factor, or whose tenant requires one. */
function methodsOf({ totp, passkeys = [], required }: Factors): readonly ProofMethod[] {
  if (!totp && passkeys.length === 0) return required ? [] : ['password'];
  return [...(totp ? (['totp'] as const) : []), ...(passkeys.length > 0 ? (['passkey'] as const) : [])];
}
