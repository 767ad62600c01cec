import { confirmRecovery, type ConfirmRecoveryRequest } from '../../../client/src/operations.ts';
import { codeOf, PageError, violationsOf } from '../errors.ts';
import { NewPasswordField } from '../ui/new-password-field.tsx';
import { Form, Submit } from '../ui/form.tsx';
import { CardPage, useService } from '../ui/frame.tsx';
import { recoverTexts } from './texts.ts';

interface NewPasswordScreenProps {
  readonly token: string;
  readonly onDone: () => void;
  readonly onInvalid: (error: unknown) => void;
}

/** Asks for the new password. A password against the policy leaves the link valid. */
export function NewPasswordScreen({ token, onDone, onInvalid }: NewPasswordScreenProps) {
  const { options, session } = useService();
  const member = options.profile === 'A' ? 'newPassword' : 'new_password';
  const texts = recoverTexts();
  return (
    <CardPage title={texts.newTitle}>
      <Form
        focus={member}
        fieldOf={(error) => (error instanceof PageError ? member : undefined)}
        onSubmit={async ({ [member]: password = '' }) => {
          try {
            await confirmRecovery(session.anonymous, { body: { token, [member]: password } as ConfirmRecoveryRequest });
          } catch (error) {
            if (codeOf(error) === 'mail-token-invalid') return onInvalid(error);
            // Under Profile B, an error has no violations.
            const isUnexplained = codeOf(error) === 'validation-error' && violationsOf(error).size === 0;
            throw isUnexplained ? new PageError(texts.refused) : error;
          }
          onDone();
        }}
      >
        <p>{texts.newText}</p>
        <NewPasswordField name={member} autofocus />
        <Submit>{texts.set}</Submit>
      </Form>
    </CardPage>
  );
}
