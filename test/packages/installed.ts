// The package `authservice` as npm would publish it, installed into an empty folder.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from '../../client/test/package/published.ts';
import { packService, type Packed } from '../../scripts/pack/pack-packages.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

export interface Installed {
  readonly packed: Packed;
  /** The folder of a user, with the package in node_modules. */
  readonly folder: string;
  /** The JavaScript that npm links as the program. */
  readonly program: string;
  /** Everything that was made, for rmSync. */
  readonly folders: readonly string[];
}

/** Packs and installs the package. */
export async function installPackage(): Promise<Installed> {
  const target = temporaryFolder('packed-');
  const folder = temporaryFolder('installed-');
  const packed = await packService(target);
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  npm(folder, 'install', '--silent', '--no-audit', '--no-fund', '--prefer-offline', packed.archive);
  const program = join(folder, 'node_modules/authservice/bin/authservice.cjs');
  return { packed, folder, program, folders: [target, folder] };
}

/** Another machine, as a program sees it. */
export interface Machine {
  readonly version?: string;
  readonly platform?: string;
  readonly arch?: string;
  /** Whether its C library is that of Alpine. */
  readonly isMusl?: boolean;
}

/**
 * Returns the arguments of Node with which a program sees another machine. Older versions of Node cannot replace a process by another
 * program.
 */
export function onMachine(folder: string, { version, platform, arch, isMusl = false }: Machine): string[] {
  mkdirSync(folder, { recursive: true });
  const preload = join(folder, 'machine.cjs');
  const values = { platform, arch, ...(version !== undefined && { versions: { ...process.versions, node: version } }) };
  const lines = Object.entries(values)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `Object.defineProperty(process, '${name}', { value: ${JSON.stringify(value)} });`);
  if (version !== undefined) lines.push('process.execve = undefined;');
  if (isMusl) lines.push("Object.defineProperty(process, 'report', { value: { getReport: () => ({ header: {} }) } });");
  writeFileSync(preload, lines.join('\n'));
  return ['--require', preload];
}

/** Runs a program of Node to its end. */
export function runNode(args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}) {
  const { PATH = '', HOME = '' } = process.env;
  const options = { cwd, env: { PATH, HOME, ...env }, encoding: 'utf8', timeout: 60_000 } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
  return { status, stdout, stderr };
}
