// The token of a mail's link, in the fragment of the URL. It is sent only after a click: programs that check mails open links.
import { useEffect, useState } from 'preact/hooks';

/** Takes the token out of the URL, so that neither the address bar nor the history of the browser keeps it. */
function takeToken(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (location.hash !== '') history.replaceState(history.state, '', location.pathname + location.search);
  return token || undefined;
}

/** Returns the token of the link that led to this page, and a function that forgets it. */
export function useMailToken(): readonly [token: string | undefined, forget: () => void] {
  const [token, setToken] = useState(takeToken);
  useEffect(() => {
    // Another link of a mail to the same page changes only the fragment.
    const restart = () => location.reload();
    addEventListener('hashchange', restart);
    return () => removeEventListener('hashchange', restart);
  }, []);
  return [token, () => setToken(undefined)];
}
