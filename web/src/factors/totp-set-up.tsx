import type { ComponentChildren } from 'preact';
import { confirmMyTotp, createMyTotp } from '../../../client/src/operations.ts';
import { codeOf, PageError } from '../errors.ts';
import { useQuery } from '../query.ts';
import { factorTexts } from '../texts/factors.ts';
import { CodeField } from '../ui/code-field.tsx';
import { Form } from '../ui/form.tsx';
import { useService } from '../ui/frame.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { TotpSecret } from '../ui/totp-secret.tsx';

const REFUSALS: ReadonlySet<string> = new Set(['bad-credentials', 'second-factor-invalid']);

interface TotpSetUpProps {
  /** Is called with the recovery codes of a first factor. */
  readonly onDone: (recoveryCodes: readonly string[]) => void;
  /** What is below the code: a hint, the buttons. */
  readonly children: ComponentChildren;
}

/** Sets up codes of an authenticator app for the account. Earlier ones are valid until the new ones are confirmed. */
export function TotpSetUp({ onDone, children }: TotpSetUpProps) {
  const { session } = useService();
  const secret = useQuery(async () => (await createMyTotp(session)).data, []);

  async function submit(code: string): Promise<void> {
    const { data } = await confirmMyTotp(session, { body: { totp: code } }).catch((error: unknown) => {
      if (codeOf(error) === 'conflict') {
        secret.reload();
        throw new PageError(factorTexts().secretExpired);
      }
      throw REFUSALS.has(codeOf(error) ?? '') ? new PageError(factorTexts().wrongCode) : error;
    });
    onDone(data.recoveryCodes);
  }

  return (
    <QueryView query={secret}>
      {(data) => (
        <Form
          focus="code"
          fieldOf={(error) => (error instanceof PageError ? 'code' : undefined)}
          onSubmit={({ code = '' }) => submit(code)}
        >
          <TotpSecret secret={data.secret} uri={data.uri} />
          <CodeField />
          {children}
        </Form>
      )}
    </QueryView>
  );
}
