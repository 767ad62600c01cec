import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { confirmMyTotp, createMyTotp } from '../../../client/src/operations.ts';
import { codeOf, PageError } from '../errors.ts';
import { useQuery } from '../query.ts';
import { commonTexts } from '../texts/common.ts';
import { factorTexts } from '../texts/factors.ts';
import { CodeField } from '../ui/code-field.tsx';
import { Form, Submit } from '../ui/form.tsx';
import { useService } from '../ui/frame.tsx';
import { notify } from '../ui/notices.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { TotpSecret } from '../ui/totp-secret.tsx';
import { AccountScreen } from './account-screen.tsx';
import { factorListTexts } from './factor-texts.ts';
import { NewRecoveryCodes } from './new-recovery-codes.tsx';

const REFUSALS: ReadonlySet<string> = new Set(['bad-credentials', 'second-factor-invalid']);

/** Sets up codes of an authenticator app. Earlier ones are valid until the new ones are confirmed. */
export function TotpScreen() {
  const { session } = useService();
  const [, navigate] = useLocation();
  const [codes, setCodes] = useState<readonly string[]>();
  const secret = useQuery(async () => (await createMyTotp(session)).data, []);
  const texts = factorListTexts();

  async function submit(code: string): Promise<void> {
    const { data } = await confirmMyTotp(session, { body: { totp: code } }).catch((error: unknown) => {
      if (codeOf(error) === 'conflict') {
        secret.reload();
        throw new PageError(texts.secretExpired);
      }
      throw REFUSALS.has(codeOf(error) ?? '') ? new PageError(factorTexts().wrongCode) : error;
    });
    if (data.recoveryCodes.length > 0) return setCodes(data.recoveryCodes);
    notify(texts.totpSetUp);
    navigate('/');
  }

  if (codes) return <NewRecoveryCodes codes={codes} onSaved={() => navigate('/')} />;
  return (
    <AccountScreen title={texts.totp}>
      <div class="panel readable">
        <QueryView query={secret}>
          {(data) => (
            <Form
              focus="code"
              fieldOf={(error) => (error instanceof PageError ? 'code' : undefined)}
              onSubmit={({ code = '' }) => submit(code)}
            >
              <TotpSecret secret={data.secret} uri={data.uri} />
              <CodeField />
              <p class="hint">{texts.totpEndsOthers}</p>
              <div class="actions">
                <Submit>{texts.setUpTotp}</Submit>
                <Link class="button" href="/">
                  {commonTexts().cancel}
                </Link>
              </div>
            </Form>
          )}
        </QueryView>
      </div>
    </AccountScreen>
  );
}
