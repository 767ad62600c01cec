// The token of a mail's link, in the fragment of the URL. It is sent only after a click: programs that check mails open links.
import { useEffect, useState } from 'preact/hooks';

/** A token, and the name that its link gives it. */
export interface NamedToken {
  readonly name: 'token' | 'stop';
  readonly token: string;
}

/** Takes the token out of the URL, so that neither the address bar nor the history of the browser keeps it. */
function takeToken(): NamedToken | undefined {
  const parameters = new URLSearchParams(location.hash.slice(1));
  if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search);
  for (const name of ['token', 'stop'] as const) {
    const token = parameters.get(name);
    if (token) return { name, token };
  }
  return undefined;
}

/** Returns the named token of the link that led to this page, and a function that forgets it. */
export function useNamedToken(): readonly [token: NamedToken | undefined, forget: () => void] {
  const [token, setToken] = useState(takeToken);
  useEffect(() => {
    // Another link of a mail to the same page changes only the fragment.
    const restart = () => location.reload();
    addEventListener('hashchange', restart);
    return () => removeEventListener('hashchange', restart);
  }, []);
  return [token, () => setToken(undefined)];
}

/** Returns the token of a page whose links all do the same. */
export function useMailToken(): readonly [token: string | undefined, forget: () => void] {
  const [found, forget] = useNamedToken();
  return [found?.name === 'token' ? found.token : undefined, forget];
}
