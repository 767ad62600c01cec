import type { Comparison, Side } from '../compare.ts';
import { startExtraService } from '../extra-service.ts';
import { startKeycloak, KEYCLOAK_HOME } from '../openid/keycloak.ts';
import type { OpenIdProvider } from '../openid/provider.ts';
import { PROVIDER_SETTINGS, serviceProvider } from '../openid/service-provider.ts';
import { codeFlowSide, tokenSides } from '../openid/sides.ts';
import { startNode, wrkSide, type Stand } from '../stand.ts';

/** More flows of an account would end its earlier grants. */
const BROWSERS = 512;
const GRANTS = 64;
/** Java compiles what has run often. */
const KEYCLOAK_WARM_UP_SECONDS = 30;
/** An authorization may take 1.6 times the CPU time of a bearer check. */
const ME_PER_AUTHORIZATION = 1 / 1.6;

interface Sides {
  readonly flow: Side;
  readonly refresh: Side;
  readonly userinfo: Side;
}

const ROWS = [
  { title: 'OpenID code flow', side: 'flow', aims: { nodeOidcProvider: 0.5, keycloak: 5 } },
  { title: 'OpenID refresh', side: 'refresh', aims: { nodeOidcProvider: 0.8, keycloak: 10 } },
  { title: 'OpenID userinfo', side: 'userinfo', aims: { nodeOidcProvider: 1, keycloak: 10 } },
] as const;

/**
 * Compares logins of applications by live sessions, refreshes and userinfo with node-oidc-provider, which stores nothing, and with
 * Keycloak; and authorizations with bearer checks.
 */
export async function openIdComparisons(stand: Stand): Promise<Comparison[]> {
  const { engine, connections, start, wants } = stand;
  const rows = ROWS.map((row) => ({ ...row, title: `${row.title}, ${engine}` })).filter(wants);
  const authorize = { title: `OpenID authorize, ${engine}`, aim: ME_PER_AUTHORIZATION, aimIsForCpu: true };
  if (rows.length === 0 && !wants(authorize)) return [];
  const { service, database } = await startExtraService(stand, { settings: PROVIDER_SETTINGS });
  const provider = await serviceProvider(service, database, BROWSERS);
  const subject = await sidesOf(provider, connections);
  const { id, secret } = provider.client;
  const program = await start(startNode('openid/node-oidc-provider.ts', [id, secret]));
  const nodeOidcProvider = await sidesOf(nodeProvider(program, provider.client), connections);
  const keycloak =
    engine === 'mariadb' && KEYCLOAK_HOME !== undefined && rows.length > 0
      ? await warmKeycloak(await startKeycloak(start, KEYCLOAK_HOME, provider.client, GRANTS), connections)
      : undefined;
  const lines = stand.sessions.map(({ accessToken }) => accessToken);
  return [
    ...rows.map(({ title, side, aims }) => ({
      title,
      aim: aims.nodeOidcProvider,
      subject: subject[side],
      limit: nodeOidcProvider[side],
    })),
    ...(keycloak ? rows : []).map(({ title, side, aims }) => ({
      title,
      aim: aims.keycloak,
      subject: subject[side],
      limit: keycloak![side],
    })),
    {
      ...authorize,
      subject: codeFlowSide(provider, 'authorize', connections),
      limit: wrkSide('GET /auth/me', stand.service, { path: '/api/v1/auth/me', format: 'bearer', lines, connections }),
    },
  ];
}

async function sidesOf(provider: OpenIdProvider, connections: number): Promise<Sides> {
  return {
    flow: codeFlowSide(provider, 'code-flow', connections),
    ...(await tokenSides(provider, GRANTS, connections)),
  };
}

async function warmKeycloak(provider: OpenIdProvider, connections: number): Promise<Sides> {
  const sides = await sidesOf(provider, connections);
  for (const side of [sides.flow, sides.refresh, sides.userinfo]) await side.load(KEYCLOAK_WARM_UP_SECONDS);
  return sides;
}

function nodeProvider(program: OpenIdProvider['program'], client: OpenIdProvider['client']): OpenIdProvider {
  return {
    name: 'node-oidc-provider',
    program,
    client,
    paths: { authorize: '/auth', token: '/token', userinfo: '/me' },
    async openBrowsers() {
      return (await (await fetch(`${program.url}/browsers?count=${BROWSERS}`)).json()) as string[];
    },
  };
}
