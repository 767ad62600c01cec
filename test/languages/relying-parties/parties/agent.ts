// oidc-agent, which keeps the tokens of a user on a server without a browser.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { run, start } from '../../commands.ts';
import { requirePrograms } from '../../toolchain.ts';
import { allowDevice } from '../people.ts';
import type { Party, RunningParty } from '../party.ts';
import { endParty } from '../programs.ts';

const SCOPES = 'openid profile email offline_access';

export const OIDC_AGENT: Party = {
  name: 'oidc-agent',
  section: 'A device or a server without a browser',
  version: '4.2.6',
  login: 'device',
  claims: ['sub', 'name', 'email', 'preferred_username'],
  refresh: 'refresh token',
  theirLogout: 'its own session only',
  // It needs offline_access.
  ourLogout: 'not at all',
  application: () => ({ type: 'NATIVE', deviceGrant: true }),
  async start({ issuer, clientId, cwd }): Promise<RunningParty> {
    requirePrograms('oidc-agent');
    const config = join(cwd, 'config');
    mkdirSync(config, { mode: 0o700 });
    writeFileSync(join(cwd, 'password'), 'a password of the test\n', { mode: 0o600 });
    const socket = join(cwd, 'agent.sock');
    const options = { cwd, env: { OIDC_CONFIG_DIR: config, OIDC_SOCK: socket } };
    const agent = start('oidc-agent', ['--console', '--no-autoload', `--socket-path=${socket}`], options);
    await vi.waitFor(() => expect(existsSync(socket)).toBe(true), { timeout: 30_000 });
    let logins = 0;
    const account = () => `wiki-${logins}`;
    const token = async (...args: string[]) => (await run('oidc-token', [...args, account()], options)).trim();
    return {
      async logIn(visit) {
        logins += 1;
        const of = [`--iss=${issuer}`, `--client-id=${clientId}`, '--client-secret=', `--scope=${SCOPES}`];
        const how = ['--flow=device', '--prompt=none', '--no-url-call', `--pw-file=${join(cwd, 'password')}`];
        const child = start('oidc-gen', [...of, ...how, '--confirm-yes', account()], options);
        const exit = once(child, 'exit');
        const [, userCode] = await printed(child, /\b([A-Z]{4}-[A-Z]{4})\b/);
        await allowDevice(visit, `${issuer}/device?user_code=${userCode}`);
        const [code] = await exit;
        if (code !== 0) throw new Error(`oidc-gen ended with ${code}`);
      },
      async claims({ page }) {
        const accessToken = await token().catch(() => undefined);
        if (accessToken === undefined) return undefined;
        const headers = { authorization: `Bearer ${accessToken}` };
        const response = await page.request.get(`${issuer}/api/v1/auth/oauth2/userinfo`, { headers });
        return response.ok() ? response.json() : undefined;
      },
      // A token that lives for longer than those it has.
      refresh: () => token('--time=3600'),
      logOut: async () => void (await run('oidc-add', ['--remove', account()], options)),
      stop: () => endParty(agent),
    };
  },
};

/** Resolves with a match in the output of a program. */
function printed(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  let output = '';
  const found = Promise.withResolvers<RegExpExecArray>();
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const match = pattern.exec(output);
      if (match) found.resolve(match);
    });
  child.once('exit', () => found.reject(new Error(`the output has no ${String(pattern)}:\n${output}`)));
  return found.promise;
}
