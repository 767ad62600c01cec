// Relying parties that have pages: a path for each step, which JSON or the address of the page answers.
import type { ChildProcess } from 'node:child_process';
import type { Page } from 'playwright-core';
import { logInFirst } from './people.ts';
import type { Claims, Connection, RunningParty, Visit } from './party.ts';
import { endParty } from './programs.ts';

interface Steps {
  /** Leads to the login page of the service. */
  readonly login: string;
  /** What the user does on the way there. Default: nothing. */
  readonly begin?: (page: Page) => Promise<void>;
  /** Answers with claims, and with another status than 200 if nobody is logged in. */
  readonly claims: string;
  /** It answers after redirects to the service and back. */
  readonly followsRedirects?: true;
  /** The claims in that answer. Default: the answer itself. */
  readonly read?: (body: any) => Claims | undefined;
  /** Renews the tokens, and answers with one of them. */
  readonly refresh?: string | RunningParty['refresh'];
  /** The token in that answer. Default: the answer itself. */
  readonly tokenOf?: (body: any) => unknown;
  /** The page that logs out. */
  readonly logout: string;
  /** What the user does on that page. Default: nothing. */
  readonly confirm?: (page: Page) => Promise<void>;
}

/** What the programs of the examples read. */
export const environment = ({ port, issuer, clientId, clientSecret, ca }: Connection) => ({
  PORT: port,
  AUTH_ISSUER: issuer,
  AUTH_CLIENT_ID: clientId,
  ...(clientSecret !== undefined && { AUTH_CLIENT_SECRET: clientSecret }),
  ...(ca !== undefined && { AUTH_CA: ca }),
});

/** The paths of the programs that are written for this test. */
export const STEPS: Steps = { login: '/login', claims: '/claims', refresh: '/refresh', logout: '/logout' };

/** Uses a party by its pages. It is stopped with its process. */
export function webParty(child: ChildProcess, { origin }: Connection, steps: Steps): RunningParty {
  const maxRedirects = steps.followsRedirects ? 10 : 0;
  const get = async ({ page }: Visit, path: string) => {
    const response = await page.request.get(origin + path, { maxRedirects });
    const isJson = response.headers()['content-type']?.startsWith('application/json');
    return response.status() === 200 && isJson ? response.json() : undefined;
  };
  const same = (body: unknown) => body;
  const { refresh, read = same as (body: unknown) => Claims, tokenOf = same } = steps;
  return {
    async logIn({ page, user }) {
      await page.goto(origin + steps.login);
      await steps.begin?.(page);
      await logInFirst(page, user);
      await page.waitForURL(`${origin}/**`);
    },
    async claims(visit) {
      const body = await get(visit, steps.claims);
      return body && read(body);
    },
    ...(refresh !== undefined && {
      refresh:
        typeof refresh === 'function'
          ? refresh
          : async (visit) => tokenOf(await requireAnswer(get(visit, refresh), refresh)),
    }),
    async logOut({ page }) {
      await page.goto(origin + steps.logout);
      await steps.confirm?.(page);
    },
    stop: () => endParty(child),
  };
}

async function requireAnswer(answer: Promise<unknown>, path: string): Promise<unknown> {
  const body = await answer;
  if (body === undefined) throw new Error(`${path} is refused`);
  return body;
}
