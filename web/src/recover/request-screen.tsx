import { requestRecovery } from '../../../client/src/operations.ts';
import { textOf } from '../errors.ts';
import { pagePath } from '../service.ts';
import { Alert } from '../ui/alert.tsx';
import { Field } from '../ui/field.tsx';
import { Form, Submit } from '../ui/form.tsx';
import { CardPage, useService } from '../ui/frame.tsx';
import { recoverTexts } from './texts.ts';

interface RequestScreenProps {
  readonly username: string;
  readonly loginPath: string;
  /** The refusal of a link that led here. */
  readonly linkError: unknown;
  readonly onUsername: (username: string) => void;
  readonly onSent: () => void;
}

/** Asks for the username. The service answers the same for each, so this page does not know whether the account exists. */
export function RequestScreen({ username, loginPath, linkError, onUsername, onSent }: RequestScreenProps) {
  const { session } = useService();
  const texts = recoverTexts();
  return (
    <CardPage title={texts.title}>
      {linkError !== undefined && (
        <Alert>
          {textOf(linkError)} {texts.askAgain}
        </Alert>
      )}
      <Form
        focus="username"
        onSubmit={async () => {
          await requestRecovery(session.anonymous, { body: { username } });
          onSent();
        }}
      >
        <p>{texts.text}</p>
        <Field
          name="username"
          label={texts.username}
          autocomplete="username"
          autocapitalize="off"
          spellcheck={false}
          maxLength={254}
          required
          autofocus
          value={username}
          onInput={({ currentTarget }) => onUsername(currentTarget.value)}
        />
        <Submit>{texts.send}</Submit>
      </Form>
      <p>
        <a href={pagePath(loginPath)}>{texts.toLogin}</a>
      </p>
    </CardPage>
  );
}
