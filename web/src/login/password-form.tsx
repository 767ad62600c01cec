import { useState } from 'preact/hooks';
import type { LoginStep } from '../../../client/src/index.ts';
import { codeOf } from '../errors.ts';
import { CheckField, Field, PasswordField } from '../ui/field.tsx';
import { Form, Submit } from '../ui/form.tsx';
import { useService } from '../ui/frame.tsx';
import { loginTexts } from './texts.ts';

/** The field of an error that concerns only one. A wrong password could also be a wrong username. */
const FIELDS: Readonly<Record<string, string>> = { 'account-not-found': 'username' };

export function PasswordForm({ onStep }: { readonly onStep: (step: LoginStep) => void }) {
  const { options, session } = useService();
  const [username, setUsername] = useState('');
  const texts = loginTexts();
  return (
    <Form
      focus="password"
      fieldOf={(error) => FIELDS[codeOf(error) ?? '']}
      onSubmit={async (values) => {
        const { username = '', password = '', rememberMe } = values;
        onStep(await session.login({ username, password, rememberMe: rememberMe !== undefined }));
      }}
    >
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
        onInput={({ currentTarget }) => setUsername(currentTarget.value)}
      />
      <PasswordField name="password" label={texts.password} autocomplete="current-password" maxLength={1024} required />
      {options.profile === 'A' && <CheckField name="rememberMe" label={texts.rememberMe} />}
      <Submit>{texts.logIn}</Submit>
    </Form>
  );
}
