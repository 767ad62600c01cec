import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { changeOwnPassword } from '../../../client/src/operations.ts';
import { codeOf, PageError } from '../errors.ts';
import { logOut } from '../log-out.ts';
import { commonTexts } from '../texts/common.ts';
import { freshSessionTexts } from '../texts/fresh-session.ts';
import { Alert } from '../ui/alert.tsx';
import { PasswordField } from '../ui/field.tsx';
import { Form, Submit } from '../ui/form.tsx';
import { useService } from '../ui/frame.tsx';
import { NewPasswordField } from '../ui/new-password-field.tsx';
import { AccountScreen } from './account-screen.tsx';
import { accountTexts } from './texts.ts';

/** Changes the password. The service ends all sessions then, so the login follows. */
export function PasswordScreen() {
  const { session } = useService();
  const [isChanged, setChanged] = useState(false);
  const texts = accountTexts();

  async function submit(currentPassword: string, newPassword: string): Promise<void> {
    await changeOwnPassword(session, { body: { currentPassword, newPassword } }).catch((error: unknown) => {
      throw codeOf(error) === 'bad-credentials' ? new PageError(freshSessionTexts().wrongPassword) : error;
    });
    setChanged(true);
    // The session has ended already. This also says so to the other tabs.
    await logOut(session);
  }

  return (
    <AccountScreen title={texts.changePassword}>
      <div class="panel readable">
        {isChanged ? (
          <Alert kind="success">{texts.passwordChanged}</Alert>
        ) : (
          <Form
            focus="currentPassword"
            fieldOf={(error) => (error instanceof PageError ? 'currentPassword' : undefined)}
            onSubmit={({ currentPassword = '', newPassword = '' }) => submit(currentPassword, newPassword)}
          >
            <p>{texts.changePasswordText}</p>
            <input
              type="text"
              name="username"
              autocomplete="username"
              value={session.getSnapshot().user?.email}
              hidden
            />
            <PasswordField
              name="currentPassword"
              label={texts.currentPassword}
              autocomplete="current-password"
              maxLength={1024}
              required
              autofocus
            />
            <NewPasswordField name="newPassword" />
            <div class="actions">
              <Submit>{texts.changePassword}</Submit>
              <Link class="button" href="/">
                {commonTexts().cancel}
              </Link>
            </div>
          </Form>
        )}
      </div>
    </AccountScreen>
  );
}
