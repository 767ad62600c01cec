import { createCookieSession } from 'authservice-client';
import { listProducts, type Product } from 'authservice-client/operations';
import { useEffect, useState, useSyncExternalStore } from 'react';

const session = createCookieSession();

function useSession() {
  // An effect does not run on a server. The first call restores, and it keeps trying.
  useEffect(() => void session.restore().catch(() => undefined), []);
  return useSyncExternalStore(session.subscribe, session.getSnapshot, session.getServerSnapshot);
}

export function Products() {
  const { status, user } = useSession();
  const [products, setProducts] = useState<readonly Product[]>([]);

  useEffect(() => {
    if (!user?.id) return undefined;
    const abort = new AbortController();
    listProducts(session, { query: { perPage: 50 } }, { signal: abort.signal }).then(
      ({ data }) => setProducts(data),
      () => setProducts([]),
    );
    return () => abort.abort();
  }, [user?.id]);

  if (status === 'unknown') return <p role="status">One moment …</p>;
  if (status === 'signed-out') return <a href="/login">Log in</a>;
  return (
    <>
      <button onClick={() => void session.logout()}>Log out {user.email}</button>
      <ul>
        {products.map(({ id, name }) => (
          <li key={id}>{name}</li>
        ))}
      </ul>
    </>
  );
}
