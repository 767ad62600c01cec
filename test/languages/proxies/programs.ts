// The proxies, as Debian has them.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const POLICY = '/usr/sbin/policy-rc.d';
const START_LIMIT_MS = 20_000;

/** The path of a program; installs the Debian package of its name where it is missing, without starting its service. */
export function programOf(name: 'nginx' | 'caddy'): string {
  const found = findProgram(name);
  if (found) return found;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    throw new Error(`${name} is missing. Install it (Debian: apt-get install ${name})`);
  const mayWritePolicy = !existsSync(POLICY);
  if (mayWritePolicy) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    console.log(`Installing ${name} …`);
    const options = { stdio: 'inherit', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } } as const;
    execFileSync('apt-get', ['update', '-qq'], options);
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name], options);
  } finally {
    if (mayWritePolicy) rmSync(POLICY);
  }
  const installed = findProgram(name);
  if (!installed) throw new Error(`${name} was installed, but not found`);
  return installed;
}

function findProgram(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/bin'];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** Starts a program that listens, and waits until it does. Returns what stops it. */
export async function start(
  program: string,
  args: readonly string[],
  port: number,
  home: string,
): Promise<() => Promise<void>> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, HOME: home } });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (output += bytes.toString()));
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const giveUpAt = performance.now() + START_LIMIT_MS;
  while (!(await listens(port))) {
    if (child.exitCode !== null || performance.now() > giveUpAt)
      throw new Error(`${program} does not listen:\n${output}`);
    await sleep(50);
  }
  return async () => {
    child.kill('SIGTERM');
    await exited;
    running.delete(child);
  };
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
