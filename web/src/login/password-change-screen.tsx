import type { LoginStep, PasswordStep } from '../../../client/src/index.ts';
import { codeOf, PageError, violationsOf } from '../errors.ts';
import { mailTexts } from '../mail/texts.ts';
import { Form, Submit } from '../ui/form.tsx';
import { CardPage } from '../ui/frame.tsx';
import { NewPasswordField } from '../ui/new-password-field.tsx';
import { useExpiry } from './factor-screen.tsx';
import { loginTexts } from './texts.ts';

interface PasswordChangeProps {
  readonly step: PasswordStep;
  readonly onStep: (step: LoginStep) => void;
  /** Leads back to the password, with the error that is the reason. */
  readonly onRestart: (error?: unknown) => void;
}

/** Replaces a temporary password. */
export function PasswordChangeScreen({ step, onStep, onRestart }: PasswordChangeProps) {
  useExpiry({ step, onRestart });
  const texts = loginTexts();
  async function change(newPassword: string): Promise<void> {
    try {
      onStep(await step.answer(newPassword));
    } catch (error) {
      if (codeOf(error) === 'challenge-invalid') return onRestart(error);
      // Under Profile B, an error has no violations.
      const isUnexplained = codeOf(error) === 'validation-error' && violationsOf(error).size === 0;
      throw isUnexplained ? new PageError(mailTexts().refused) : error;
    }
  }
  return (
    <CardPage title={texts.passwordTitle}>
      <Form
        focus="newPassword"
        fieldOf={(error) => (error instanceof PageError ? 'newPassword' : undefined)}
        onSubmit={({ newPassword = '' }) => change(newPassword)}
      >
        <p>{texts.passwordText}</p>
        <NewPasswordField name="newPassword" autofocus />
        <Submit>{texts.changePassword}</Submit>
      </Form>
      <div class="choices">
        <button class="quiet" onClick={() => onRestart()}>
          {texts.startAgain}
        </button>
      </div>
    </CardPage>
  );
}
