// The browser of the tests: Debian's Chromium, driven by playwright-core.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const PROGRAMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const REMEDY = 'give the path of a Chromium in TEST_CHROMIUM, or install one (Debian: apt-get install chromium)';

/** Finds Chromium, and installs it where the tests may. */
export function findChromium(): string {
  const found = process.env['TEST_CHROMIUM'] ?? PROGRAMS.find((program) => existsSync(program));
  if (found !== undefined) return found;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) throw new Error(`Chromium was not found: ${REMEDY}`);
  console.log('No Chromium found: installing chromium …');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  execFileSync('apt-get', ['update', '-qq'], { stdio: 'inherit', env });
  execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], { stdio: 'inherit', env });
  return PROGRAMS.find((program) => existsSync(program))!;
}

/** Starts a browser without a window. */
export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: findChromium(),
    // Root may not use the sandbox. Tabs in the background are to run as those in front.
    args: ['--no-sandbox', '--disable-renderer-backgrounding', '--disable-background-timer-throttling'],
  });
}
