// The page that wanted the login. The gateway decides whether it may be continued at: it knows the allowed origins.
import { pagePath } from '../service.ts';

const PARAMETER = 'return';

export const wantedReturn = (): string | undefined => new URLSearchParams(location.search).get(PARAMETER) ?? undefined;

/** Leaves the login. The browser's back button does not lead to it again. */
export function goOn(): void {
  const query = new URLSearchParams({ [PARAMETER]: wantedReturn() ?? '' });
  location.replace(`${pagePath('/login/continue')}?${query}`);
}
