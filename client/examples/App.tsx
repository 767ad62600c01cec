import { ApiError, createCookieSession } from 'authservice-client';
import { getMe } from 'authservice-client/operations';
import { SessionProvider, useSession } from 'authservice-client/react';
import { useEffect, useState } from 'react';

const session = createCookieSession();

const MESSAGES: Readonly<Record<string, string>> = {
  'bad-credentials': 'This username or password is wrong.',
  'account-not-found': 'This username or password is wrong.',
  'account-locked': 'There were too many wrong passwords. Try again later.',
  'second-factor-invalid': 'This code is wrong or was used before.',
  'service-unreachable': 'The service does not respond. Check your network.',
};

function toMessage(error: unknown): string {
  return (error instanceof ApiError && MESSAGES[error.code]) || 'This did not work. Try again.';
}

export default function App() {
  return (
    <SessionProvider session={session}>
      <Account />
    </SessionProvider>
  );
}

function Account() {
  const { status, error } = useSession();
  if (status === 'loading') return <p role="status">{error ? toMessage(error) : 'One moment …'}</p>;
  return status === 'authenticated' ? <Logout /> : <Login />;
}

function Login() {
  const { step, login } = useSession();
  const [message, setMessage] = useState('');

  async function submit(form: FormData) {
    const field = (name: string) => String(form.get(name));
    const code = field('code');
    try {
      if (step) await step.answer(/^\d{6}$/.test(code) ? { totp: code } : { recoveryCode: code });
      else await login({ username: field('username'), password: field('password') });
      setMessage('');
    } catch (error) {
      setMessage(toMessage(error));
    }
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit(new FormData(event.currentTarget));
      }}
    >
      {step ? (
        <input key="code" name="code" placeholder="Code" autoComplete="one-time-code" required />
      ) : (
        <>
          <input name="username" placeholder="Username" autoComplete="username" required />
          <input name="password" type="password" placeholder="Password" autoComplete="current-password" required />
        </>
      )}
      <button>Log in</button>
      <output>{message}</output>
    </form>
  );
}

function Logout() {
  const { user, session, logout } = useSession();
  const [username, setUsername] = useState('');
  const [message, setMessage] = useState('');

  useEffect(() => {
    const abort = new AbortController();
    getMe(session, {}, { signal: abort.signal }).then(
      ({ data }) => setUsername(data.username),
      (error: unknown) => {
        if (!abort.signal.aborted) setMessage(toMessage(error));
      },
    );
    return () => abort.abort();
  }, [session, user?.id]);

  const leave = () => void logout().catch((error: unknown) => setMessage(toMessage(error)));
  return (
    <>
      <button onClick={leave}>Log out {username}</button>
      <output>{message}</output>
    </>
  );
}
