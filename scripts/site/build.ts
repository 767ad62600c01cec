// VitePress and its packages are in site/, apart from those of the service.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the built site. */
export const SITE_OUTPUT = 'site/dist';
const VITEPRESS = 'node_modules/vitepress/bin/vitepress.js';

/** Installs the packages of site/package-lock.json, unless they are there. */
export function installSite(project: string): void {
  const site = join(project, 'site');
  const lock = readFileSync(join(site, 'package-lock.json'), 'utf8');
  const installed = join(site, 'node_modules/.installed-lock.json');
  if (existsSync(installed) && readFileSync(installed, 'utf8') === lock) return;
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: site, stdio: 'inherit' });
  writeFileSync(installed, lock);
}

/** Builds the site into its output folder. Throws if a link is dead. */
export function buildSite(project: string, variables: Readonly<Record<string, string>> = {}): void {
  runVitepress(project, 'build', variables);
}

/** Serves the working tree until it is stopped. */
export function serveSite(project: string): void {
  runVitepress(project, 'dev', {});
}

function runVitepress(project: string, command: string, variables: Readonly<Record<string, string>>): void {
  const site = join(project, 'site');
  const env = { ...process.env, ...variables };
  execFileSync(process.execPath, [join(site, VITEPRESS), command, site], { cwd: project, env, stdio: 'inherit' });
}
