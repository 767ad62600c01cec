import { ApiError, createCookieSession } from 'authservice-client';
import { listProducts, type Product } from 'authservice-client/operations';
import { SessionProvider, useSession } from 'authservice-client/react';
import { useEffect, useState, type SubmitEvent } from 'react';

const session = createCookieSession();

export function App() {
  return (
    <SessionProvider session={session}>
      <Account />
    </SessionProvider>
  );
}

function Account() {
  const { status, user, logout } = useSession();
  if (status === 'loading') return <p role="status">One moment …</p>;
  if (status !== 'authenticated') return <Login />;
  return (
    <>
      <button onClick={() => void logout()}>Log out {user.email}</button>
      <Products />
    </>
  );
}

function Login() {
  const { step, login } = useSession();
  const [message, setMessage] = useState('');

  async function submit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const fields = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
    try {
      if (step)
        await step.answer(/^\d{6}$/.test(fields.code!) ? { totp: fields.code! } : { recoveryCode: fields.code! });
      else await login({ username: fields.username!, password: fields.password! });
    } catch (error) {
      setMessage(error instanceof ApiError ? error.message : 'Something went wrong');
    }
  }

  return (
    <form onSubmit={(event) => void submit(event)}>
      {step ? (
        <input key="code" name="code" placeholder="Code" autoComplete="one-time-code" />
      ) : (
        <>
          <input name="username" placeholder="Username" autoComplete="username" />
          <input name="password" type="password" placeholder="Password" autoComplete="current-password" />
        </>
      )}
      <button>Log in</button>
      <output>{message}</output>
    </form>
  );
}

function Products() {
  const { user, session } = useSession();
  const [products, setProducts] = useState<readonly Product[]>([]);
  useEffect(() => {
    const abort = new AbortController();
    listProducts(session, { query: { perPage: 50 } }, { signal: abort.signal }).then(
      ({ data }) => setProducts(data),
      () => setProducts([]),
    );
    return () => abort.abort();
  }, [session, user?.id]);
  return (
    <ul>
      {products.map(({ id, name }) => (
        <li key={id}>{name}</li>
      ))}
    </ul>
  );
}
