import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Side } from '../compare.ts';
import { LOAD_CORE } from '../program.ts';
import { wrkSide } from '../stand.ts';
import { loadByWrk } from '../wrk.ts';
import {
  authorizationPath,
  basicAuthorization,
  CALLBACK,
  CODE_VERIFIER,
  requestTokens,
  type OpenIdProvider,
  type Tokens,
} from './provider.ts';

/** Authorizations of live sessions: the code flow with its exchanges, or without them. */
export function codeFlowSide(provider: OpenIdProvider, format: 'code-flow' | 'authorize', connections: number): Side {
  const { name, program } = provider;
  const inputFile = join(program.directory, format);
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    redirect_uri: CALLBACK,
    code_verifier: CODE_VERIFIER,
    code: '',
  });
  const head = [authorizationPath(provider), provider.paths.token, basicAuthorization(provider), body.toString()];
  return {
    name,
    pid: program.pid,
    async load(seconds) {
      const lines = [...head, ...(await provider.openBrowsers())];
      writeFileSync(inputFile, lines.map((line) => `${line}\n`).join(''));
      return loadByWrk({ core: LOAD_CORE, connections, seconds, url: program.url, format, inputFile });
    },
  };
}

/** The sides that use the tokens of grants: refreshes, and requests to the userinfo endpoint. */
export async function tokenSides(
  provider: OpenIdProvider,
  grants: number,
  connections: number,
): Promise<{ readonly refresh: Side; readonly userinfo: Side }> {
  const { name, program, paths } = provider;
  const tokens = await openGrants(provider, grants);
  const form = (refreshToken: string) =>
    new URLSearchParams({ grant_type: 'refresh_token', refresh_token: refreshToken }).toString();
  const refreshes = tokens.map(({ refreshToken }) =>
    ['application/x-www-form-urlencoded', basicAuthorization(provider), form(refreshToken)].join('\t'),
  );
  const accessTokens = tokens.map(({ accessToken }) => accessToken);
  return {
    refresh: wrkSide(name, program, { path: paths.token, format: 'post', lines: refreshes, connections }),
    userinfo: wrkSide(name, program, { path: paths.userinfo, format: 'bearer', lines: accessTokens, connections }),
  };
}

async function openGrants(provider: OpenIdProvider, count: number): Promise<readonly Tokens[]> {
  const cookies = await provider.openBrowsers();
  const tokens: Tokens[] = [];
  for (const cookie of cookies.slice(0, count)) tokens.push(await requestTokens(provider, cookie));
  return tokens;
}
