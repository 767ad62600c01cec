// The browser of the tests: Debian's Chromium, driven by playwright-core.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

interface BrowserPackage {
  /** The environment variable with another path. */
  readonly variable: string;
  readonly packageName: string;
  readonly programs: readonly string[];
}

const CHROMIUM: BrowserPackage = {
  variable: 'TEST_CHROMIUM',
  packageName: 'chromium',
  programs: ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'],
};

/** Finds Chromium, and installs it where the tests may. */
export const findChromium = (): string => findBrowser(CHROMIUM);

/** Finds a browser, and installs it where the tests may. */
export function findBrowser({ variable, packageName, programs }: BrowserPackage): string {
  const find = () => process.env[variable] ?? programs.find((program) => existsSync(program));
  const found = find();
  if (found !== undefined) return found;
  const remedy = `give its path in ${variable}, or install it (Debian: apt-get install ${packageName})`;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    throw new Error(`${packageName} was not found: ${remedy}`);
  console.log(`${packageName} was not found: installing it …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  execFileSync('apt-get', ['update', '-qq'], { stdio: 'inherit', env });
  const install = ['install', '-y', '-qq', '--no-install-recommends', packageName];
  execFileSync('apt-get', install, { stdio: 'inherit', env });
  return find()!;
}

/** Starts a browser without a window. */
export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: findChromium(),
    // Root may not use the sandbox. Tabs in the background are to run as those in front.
    args: ['--no-sandbox', '--disable-renderer-backgrounding', '--disable-background-timer-throttling'],
  });
}
