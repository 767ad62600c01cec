// A project of a user: a page built with a framework, and what its users do.
import { spawn, type ChildProcess } from 'node:child_process';
import type { Page } from 'playwright-core';
import { vi } from 'vitest';
import { createCookieSession } from '../../src/index.ts';
import { confirmMyTotp, createMyTotp } from '../../src/operations.ts';
import { codeAt } from '../../../test/support/totp.ts';
import type { Service } from './services.ts';

/** Starts a server of a project. Resolves when it responds. */
export async function startServer(url: string, cwd: string, args: readonly string[]): Promise<ChildProcess> {
  const server = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
  const failed = new Promise<never>((_, reject) => {
    server.once('exit', (code) => reject(new Error(`${args[0]} ended with ${code}`)));
  });
  await Promise.race([vi.waitFor(() => fetch(url), { timeout: 60_000, interval: 100 }), failed]);
  failed.catch(() => undefined);
  return server;
}

/** Collects what a page writes to the console as a warning or an error, and what it throws. */
export function collectProblems(page: Page): string[] {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => {
    // The browser itself reports each response with an error: a page without a session gets 401.
    const isOfPage = !message.text().startsWith('Failed to load resource');
    if (isOfPage && ['warning', 'error'].includes(message.type())) problems.push(message.text());
  });
  return problems;
}

/** Fills the fields of a form by their names, and sends it. */
export async function submit(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(fields)) await page.locator(`[name=${name}]`).fill(value);
  await page.getByRole('button', { name: 'Log in' }).click();
}

/** Gives a user an authenticator app. Returns recovery codes. */
export async function enrolTotp(
  service: Service,
  credentials: { readonly username: string; readonly password: string },
): Promise<readonly string[]> {
  const session = createCookieSession({ baseUrl: service.url });
  await session.login(credentials);
  const { data } = await createMyTotp(session);
  const confirmed = await confirmMyTotp(session, { body: { totp: codeAt(data.secret, Date.now()) } });
  session.close();
  return confirmed.data.recoveryCodes;
}
