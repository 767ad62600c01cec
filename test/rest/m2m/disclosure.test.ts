// Rejections of token requests. Under minimal disclosure neither their bytes nor their work differ by reason.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditLog } from '../../../src/auth/audit/trail/audit-log.ts';
import {
  createCheckSecret,
  createClientAuthentication,
} from '../../../src/auth/client-credentials/client-authentication.ts';
import { clientSecretHash } from '../../../src/auth/client-credentials/client-secret-store.ts';
import { UNLIMITED } from '../../../src/platform/clock.ts';
import { paceFailures } from '../../../src/platform/concurrency/pace-failures.ts';
import { newId } from '../../../src/platform/db/ids.ts';
import { NO_FACTORS, type Account } from '../../../src/auth/access/account.ts';
import { createAuthenticateClient } from '../../../src/auth/identity/authentication/authenticate-client.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import type { RestResponse } from '../../support/rest-client.ts';
import { expireSecrets, seedClient, tokenClient, type MachineClient, type TokenClient } from './clients.ts';
import { formError, jsonError } from './oauth-errors.ts';
import { builtInRights } from '../../../src/auth/access/roles/rights.ts';
import { createDefinitions } from '../../../src/auth/access/roles/definitions.ts';
import type { Database } from '../../../src/platform/db/types.ts';

const WAYS = ['byForm', 'byBasic', 'byJson'] as const;

describe.each(DIAGONAL)('minimal disclosure: $engine over $transport', (kind) => {
  let deployment: Deployment;
  let tokens: TokenClient;
  let refused: Pick<MachineClient, 'id' | 'secret'>[];

  beforeAll(async () => {
    deployment = await deploy({ ...kind, settings: { 'app.api.error-disclosure.mode': 'minimal' } });
    tokens = tokenClient(deployment.url);
    const { database, clock } = deployment;
    const expired = await seedClient(database);
    await expireSecrets(database, expired.account, clock.now());
    refused = [
      { id: 'nobody', secret: 'x' },
      { ...(await seedClient(database)), secret: 'wrong' },
      await seedClient(database, { interactive: true }),
      await seedClient(database, { disabled: true }),
      await seedClient(database, { accountExpiresAt: clock.now() }),
      await seedClient(database, { tenantId: undefined }),
      expired,
    ];
  });
  afterAll(() => deployment?.close());

  const essence = ({ status, headers, text }: RestResponse) => ({
    status,
    text,
    headers: [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name)),
  });

  it.each(WAYS)('returns the same bytes for every reason: %s', async (way) => {
    const responses = await Promise.all(refused.map((client) => tokens[way](client)));
    for (const response of responses) expect(essence(response)).toEqual(essence(responses[0]!));
    if (way === 'byJson') expect(responses[0]).toEqual(jsonError(401, 'invalid_client', 'invalid_client'));
    else expect(responses[0]).toEqual(formError(401, 'invalid_client', 'invalid_client'));
    expect(Object.keys(responses[0]!.body)).not.toContain('exceptionMessage');
  });

  it('reduces every other description to its code', async () => {
    const grant = 'grant_type=client_credentials';
    expect(await tokens.post(grant)).toEqual(formError(400, 'invalid_request', 'invalid_request'));
    expect(await tokens.post('%zz')).toEqual(formError(400, 'invalid_request', 'invalid_request'));
    expect(await tokens.post(`${grant}&scope=a`)).toEqual(formError(400, 'invalid_scope', 'invalid_scope'));
    expect(await tokens.post('grant_type=x')).toEqual(
      formError(400, 'unsupported_grant_type', 'unsupported_grant_type'),
    );
    const json = { 'content-type': 'application/json' };
    expect(await tokens.post('[', json)).toEqual(jsonError(400, 'invalid_request', 'invalid_request'));
  });
});

describe('the work of a refusal', () => {
  const NOW = Date.UTC(2026, 0);
  const NO_DEFINITIONS = createDefinitions({} as Database).current({ tenantId: undefined, version: null })!;
  const SECRET = 'a-secret-of-32-characters-or-more';
  const account: Account = {
    id: newId(),
    tenantId: 'acme',
    username: 'sync',
    name: 'Sync',
    email: undefined,
    interactive: false,
    roles: ['MANAGER'],
    disabled: false,
    resourceServer: false,
    accountExpiresAt: undefined,
    credentialsExpireAt: undefined,
    loginFailedCount: 0,
    lockedUntil: undefined,
    ...NO_FACTORS,
    createdAt: NOW,
    rights: builtInRights({ roles: ['MANAGER'], tenantId: 'acme' }),
  };

  /** The queries that one attempt takes, in order. */
  async function workOf(found: Account | undefined, secret = SECRET, expiresAt?: number): Promise<string[]> {
    const work: string[] = [];
    const audit: Pick<AuditLog, 'record' | 'refuse'> = {
      record: async () => void work.push('insert'),
      refuse: () => void work.push('refuse'),
    };
    const authenticateClient = createAuthenticateClient({
      accounts: {
        async findByUsername() {
          work.push('account');
          const definitions = NO_DEFINITIONS;
          return found && { account: found, tenantStatus: 'ACTIVE', definitions, passwordHash: undefined };
        },
      },
      audit,
      clock: () => NOW,
      runRefusable: paceFailures,
      tenantRequired: true,
    });
    const authentication = createClientAuthentication({
      authenticateClient,
      checkSecret: createCheckSecret({
        secrets: {
          async findByOwner() {
            work.push('secrets');
            return found ? [{ id: newId(), hash: clientSecretHash(SECRET), expiresAt }] : [];
          },
        },
        clock: () => NOW,
        refuseSamples: false,
      }),
      used: () => {},
    });
    const context = { requestId: 'r', clientAddress: '192.0.2.1', deadline: UNLIMITED, log: undefined as never };
    const admit = async () => {
      work.push('admit');
      return () => void work.push('given back');
    };
    await authentication({ clientId: 'sync', clientSecret: secret }, context, { admit }).catch(() => {});
    return work;
  }

  it.each<[what: string, ...args: Parameters<typeof workOf>]>([
    ['an unknown client', undefined],
    ['a wrong secret', account, 'wrong'],
    ['an expired secret', account, SECRET, NOW],
    ['an interactive account', { ...account, interactive: true }],
    ['a disabled account', { ...account, disabled: true }],
    ['a locked account', { ...account, lockedUntil: NOW + 1 }],
    ['an account without a tenant', { ...account, tenantId: undefined }],
  ])('is the same for %s, and waits for no write', async (_what, ...args) => {
    expect(await workOf(...args)).toEqual(['account', 'secrets', 'admit', 'refuse']);
  });

  it('has the same queries as a grant', async () => {
    expect(await workOf(account)).toEqual(['account', 'secrets', 'admit', 'insert']);
  });
});
