import { spawn } from 'node:child_process';

/** The program that opens a URL in the browser of the desktop. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'open', linux: 'xdg-open' };

/**
 * Opens a URL in the user's browser: the program in BROWSER, else that of the desktop. Its failure is ignored, because the URL was shown
 * too.
 */
export async function openInBrowser(url: string, env: Readonly<Record<string, string | undefined>>): Promise<void> {
  const program = env['BROWSER'] ?? OPENERS[process.platform];
  if (program === undefined || program === '') return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const opener = spawn(program, [url], { stdio: 'ignore', detached: true, env: { ...process.env, ...env } });
  opener.once('spawn', resolve).once('error', () => resolve());
  opener.unref();
  await promise;
}
