'use client';
import { ApiError } from 'authservice-client';
import { useSession } from 'authservice-client/react';
import { useActionState } from 'react';

const MESSAGES: Readonly<Record<string, string>> = {
  'bad-credentials': 'This username or password is wrong.',
  'account-not-found': 'This username or password is wrong.',
};

export function Account() {
  const { status, user, login, logout } = useSession();
  const [message, submit] = useActionState(logIn, '');

  async function logIn(_previous: string, fields: FormData): Promise<string> {
    try {
      await login({ username: String(fields.get('username')), password: String(fields.get('password')) });
      return '';
    } catch (error) {
      return (error instanceof ApiError && MESSAGES[error.code]) || 'This did not work. Try again.';
    }
  }

  if (status === 'loading') return <p role="status">One moment …</p>;
  // An account can lack an address.
  if (status === 'authenticated')
    return <button onClick={() => void logout().catch(() => undefined)}>Log out {user.email ?? ''}</button>;
  return (
    <form action={submit}>
      <input name="username" placeholder="Username" autoComplete="username" required />
      <input name="password" type="password" placeholder="Password" autoComplete="current-password" required />
      <button>Log in</button>
      <output>{message}</output>
    </form>
  );
}
