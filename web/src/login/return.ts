// The page that wanted the login. The gateway decides whether it may be continued at: it knows the allowed origins.
import { pagePath } from '../service.ts';

const PARAMETER = 'return';

const wantedReturn = (): string | null => new URLSearchParams(location.search).get(PARAMETER);

/** Whether the wanted page is on this origin; undefined if no page is wanted. */
export function isReturnHere(): boolean | undefined {
  const wanted = wantedReturn();
  if (wanted === null) return undefined;
  return URL.canParse(wanted, location.origin) && new URL(wanted, location.origin).origin === location.origin;
}

/** Leaves the login. The browser's back button does not lead to it again. */
export function goOn(): void {
  const query = new URLSearchParams({ [PARAMETER]: wantedReturn() ?? '' });
  location.replace(`${pagePath('/login/continue')}?${query}`);
}
