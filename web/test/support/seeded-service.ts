// The service in the process of the test, so that sessions are seeded instead of logged in, at the host name that passkeys need.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Account } from '../../../src/auth/access/account.ts';
import { seedAccount, type Seed } from '../../../test/support/accounts.ts';
import type { Engine } from '../../../test/support/databases.ts';
import { deploy, type Deployment } from '../../../test/support/deployment.ts';
import { seedSession, type SeededSession } from '../../../test/support/sessions.ts';
import { withPage } from './pages.ts';

const cookieOf = ({ credential }: SeededSession) => ({
  name: 'MY_SHOP_REFRESH',
  value: credential,
  domain: 'localhost',
  path: '/api/v1/auth',
  httpOnly: true,
  sameSite: 'Lax' as const,
});

export interface User {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly account: Account;
  readonly session: SeededSession;
}

export interface SeededService {
  readonly origin: string;
  readonly deployment: Deployment;
  /**
   * Opens a page with the session of a new account.
   *
   * @param ageMs The time since the login.
   */
  as(browser: Browser, seed: Seed, play: (user: User) => Promise<void>, ageMs?: number): Promise<void>;
  /** Returns the cookie of a session for the browser. */
  readonly cookieOf: typeof cookieOf;
  /** Ends all connections of browsers, as a network does. New ones are accepted. */
  dropConnections(): void;
  close(): Promise<void>;
}

export async function startSeededService(
  engine: Engine,
  further: Readonly<Record<string, string>> = {},
): Promise<SeededService> {
  const sockets = new Set<Socket>();
  let target = 0;
  const proxy = createServer((socket) => {
    const upstream = connect(target, '127.0.0.1');
    for (const one of [socket, upstream]) {
      sockets.add(one.on('error', () => undefined));
      one.once('close', () => sockets.delete(one));
    }
    socket.pipe(upstream).pipe(socket);
  });
  await new Promise<void>((resolve) => proxy.listen(0, 'localhost', resolve));
  const origin = `http://localhost:${(proxy.address() as AddressInfo).port}`;
  const deployment = await deploy({
    engine,
    transport: 'local',
    isPatient: true,
    settings: {
      'app.http.pages': 'true',
      'app.public-url': origin,
      'app.security.refresh-session.cookie-secure': 'false',
      ...further,
    },
  });
  target = Number(new URL(deployment.url).port);
  const dropConnections = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    origin,
    deployment,
    cookieOf,
    async as(browser, seed, play, ageMs = 0) {
      const account = await seedAccount(deployment.database, seed);
      const session = await seedSession(deployment, account, ageMs);
      await withPage(browser, origin, async (page, context) => {
        await context.addCookies([cookieOf(session)]);
        await play({ page, context, account, session });
      });
    },
    dropConnections,
    async close() {
      dropConnections();
      await new Promise((resolve) => proxy.close(resolve));
      await deployment.close();
    },
  };
}
