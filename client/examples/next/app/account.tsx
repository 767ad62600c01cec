'use client';
import { useSession } from 'authservice-client/react';

export function Account() {
  const { status, user, login, logout } = useSession();
  if (status === 'loading') return <p role="status">One moment …</p>;
  if (status === 'authenticated') return <button onClick={() => void logout()}>Log out {user.email}</button>;

  async function submit(fields: FormData) {
    await login({ username: String(fields.get('username')), password: String(fields.get('password')) });
  }

  return (
    <form action={submit}>
      <input name="username" placeholder="Username" autoComplete="username" />
      <input name="password" type="password" placeholder="Password" autoComplete="current-password" />
      <button>Log in</button>
    </form>
  );
}
