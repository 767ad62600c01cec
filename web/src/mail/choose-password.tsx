import { codeOf, PageError, violationsOf } from '../errors.ts';
import { NewPasswordField } from '../ui/new-password-field.tsx';
import { Form, Submit } from '../ui/form.tsx';
import { CardPage } from '../ui/frame.tsx';
import { mailTexts } from './texts.ts';

interface ChoosePasswordProps {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  /** The member of the request with the password. */
  readonly member: string;
  readonly onSubmit: (password: string) => Promise<unknown>;
  /** Is called if the link is not valid. */
  readonly onInvalid: (error: unknown) => void;
}

/** Asks for the password of an account that the link of a mail leads to. A password against the policy leaves the link valid. */
export function ChoosePassword({ title, text, action, member, onSubmit, onInvalid }: ChoosePasswordProps) {
  async function submit(password: string): Promise<void> {
    try {
      await onSubmit(password);
    } catch (error) {
      if (codeOf(error) === 'mail-token-invalid') return onInvalid(error);
      // Under Profile B, an error has no violations.
      const isUnexplained = codeOf(error) === 'validation-error' && violationsOf(error).size === 0;
      throw isUnexplained ? new PageError(mailTexts().refused) : error;
    }
  }
  return (
    <CardPage title={title}>
      <Form
        focus={member}
        fieldOf={(error) => (error instanceof PageError ? member : undefined)}
        onSubmit={({ [member]: password = '' }) => submit(password)}
      >
        <p>{text}</p>
        <NewPasswordField name={member} autofocus />
        <Submit>{action}</Submit>
      </Form>
    </CardPage>
  );
}
