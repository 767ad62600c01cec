// Which token of its session this is. Nothing says so to a script, so the tabs count together, by the tokens' ids.
interface Counted {
  readonly sessionId: string;
  readonly tokenId: string;
  readonly number: number;
}

const KEY = 'demo:generation';

/** Counts a token: 1 is that of the login or, after a reload of all tabs, the first one seen. */
export function countGeneration(sessionId: string, tokenId: string): number {
  const known = JSON.parse(localStorage.getItem(KEY) ?? 'null') as Counted | null;
  if (known?.sessionId === sessionId && known.tokenId === tokenId) return known.number;
  const number = known?.sessionId === sessionId ? known.number + 1 : 1;
  localStorage.setItem(KEY, JSON.stringify({ sessionId, tokenId, number } satisfies Counted));
  return number;
}
