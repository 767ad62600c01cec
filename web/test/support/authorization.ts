// Pages that continue an authorization request of the fake service, with accounts and sessions of the real one.
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { Account } from '../../../src/auth/access/account.ts';
import { seedAccount, type Seed } from '../../../test/support/accounts.ts';
import { seedSession } from '../../../test/support/sessions.ts';
import { fakeAuthorization, redirectOf, type FakeAuthorization, type FakeRequest } from './fake-authorization.ts';
import { withPage } from './pages.ts';
import type { SeededService } from './seeded-service.ts';

export { redirectOf, type Decision } from './fake-authorization.ts';

export interface Play {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly fake: FakeAuthorization;
  /** An account without a session. */
  readonly account: Account;
  /** Waits until a page is at the application. */
  readonly expectCode: (code?: string, where?: Page) => Promise<void>;
}

export interface PlayOptions extends BrowserContextOptions {
  /** The request `r1`. */
  readonly request?: FakeRequest;
  /** Whether the browser has a session of the account. */
  readonly hasSession?: boolean;
  readonly seed?: Seed;
  /** Runs before the page is opened. */
  readonly before?: (context: BrowserContext) => Promise<unknown>;
}

/** Runs with a page that continues the request `r1`. */
export async function withRequest(
  browser: Browser,
  { origin, deployment, cookieOf }: SeededService,
  { request, hasSession = false, seed, before, ...options }: PlayOptions,
  play: (play: Play) => Promise<void>,
): Promise<void> {
  await withPage(
    browser,
    origin,
    async (page, context) => {
      const fake = await fakeAuthorization(context, origin);
      if (request) fake.open('r1', request);
      const account = await seedAccount(deployment.database, seed);
      if (hasSession) await context.addCookies([cookieOf(await seedSession(deployment, account))]);
      await before?.(context);
      await page.goto(`${origin}/login?request=r1`);
      const expectCode = (code = 'r1', where = page) => where.waitForURL(redirectOf(origin, code));
      await play({ page, context, fake, account, expectCode });
    },
    options,
  );
}
