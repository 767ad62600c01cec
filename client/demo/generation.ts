// The generation of the current token. Scripts cannot read it, so the tabs count tokens together by their ids.
interface Counted {
  readonly sessionId: string;
  readonly tokenId: string;
  readonly number: number;
}

const KEY = 'demo:generation';

/** Counts a token. 1 is the token of the login, or the first one after a reload of all tabs. */
export function countGeneration(sessionId: string, tokenId: string): number {
  const known = JSON.parse(localStorage.getItem(KEY) ?? 'null') as Counted | null;
  if (known?.sessionId === sessionId && known.tokenId === tokenId) return known.number;
  const number = known?.sessionId === sessionId ? known.number + 1 : 1;
  localStorage.setItem(KEY, JSON.stringify({ sessionId, tokenId, number } satisfies Counted));
  return number;
}
