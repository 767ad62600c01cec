// Every kind of credential is used and misused, under maximal disclosure and with every log line kept. Then no secret is in
// any trace: logs, audit records, error bodies, metrics, the database.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RpcError } from '../../src/platform/rpc/errors/rpc-error.ts';
import { seedAccount } from '../support/accounts.ts';
import { rememberPasswords } from '../support/argon2.ts';
import { createCanaries, databaseBytes } from '../support/canaries.ts';
import { deploy, DIAGONAL, type Deployment } from '../support/deployment.ts';
import { TEST_KEY_ENCRYPTION_KEY } from '../support/key-encryption-key.ts';
import { witnessResponses } from '../support/http-request.ts';
import { PASSKEYS } from '../support/passkeys.ts';
import { bearer } from '../support/rest-client.ts';
import { seedSession } from '../support/sessions.ts';
import {
  SPECIAL,
  usePasswords,
  useCookieSessions,
  useRefreshTokens,
  useClientSecrets,
  useApiKeys,
  useCredentialsWithoutTables,
  type Scene,
} from './credential-uses.ts';
import { useSecondFactors } from './factor-uses.ts';

rememberPasswords();

const SETTINGS = { ...PASSKEYS, 'app.security.api-key.enabled': 'true', 'app.api.error-disclosure.mode': 'maximal' };

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const canaries = createCanaries();
  const { keep } = canaries;
  const lines: string[] = [];
  const failures: string[] = [];
  let a: Deployment;
  let b: Deployment;
  let admin: Record<string, string>;

  const password = keep('password', `Canary-1 ${SPECIAL}`);
  const mistyped = keep('mistyped password', `Canary-2 ${SPECIAL}`);
  const username = `canary-user@${kind.engine}-${kind.transport}.test`;
  keep('key encryption key', TEST_KEY_ENCRYPTION_KEY.toString('base64'));

  beforeAll(async () => {
    witnessResponses(({ status, headers, text }) => {
      const shown = JSON.stringify([...headers].filter(([name]) => name !== 'set-cookie'));
      if (status >= 300) failures.push(`${status} ${shown} ${text}`);
    });
    const log = { write: (line: string) => void lines.push(line) };
    a = await deploy({ ...kind, settings: SETTINGS, log });
    const settings = { ...SETTINGS, 'app.security.auth-profile': 'B' };
    b = await deploy({ ...kind, settings, log, databaseUrl: a.databaseUrl, clock: a.clock });
    const administrator = await seedAccount(a.database, { roles: ['ADMIN'] });
    admin = bearer(keep('access token', (await seedSession(a, administrator)).accessToken));
  });
  afterAll(async () => {
    witnessResponses(undefined);
    await b?.close();
    await a?.close();
  });

  /** Collects the error of a call that may fail. */
  const attempt = (call: Promise<unknown>) =>
    call.catch((error: unknown) => {
      if (!(error instanceof RpcError)) throw error;
      failures.push(JSON.stringify(error.status));
    });
  const asAdmin = () => ({ authorization: [admin['authorization']!] });

  const scene = (): Scene => ({ kind, a, b, admin, asAdmin, attempt, keep, username, password, mistyped, failures });

  it('passwords', () => usePasswords(scene()));

  it('cookie sessions and access tokens', () => useCookieSessions(scene()));

  it('refresh tokens in bodies', () => useRefreshTokens(scene()));

  it('client secrets', () => useClientSecrets(scene()));

  it('API keys', () => useApiKeys(scene()));

  it('second factors', () => useSecondFactors(scene()));

  it('all of them while tables are missing', () => useCredentialsWithoutTables(scene()));

  describe('no secret appears', () => {
    const found = (trace: Buffer | string) => ({ found: canaries.foundIn(trace) });
    const NOTHING = { found: [] };

    it('in the log', () => {
      expect(lines.length).toBeGreaterThan(100);
      expect(lines.join('')).toContain(username);
      expect(found(lines.join(''))).toEqual(NOTHING);
    });

    it('in error bodies and headers', () => {
      expect(failures.length).toBeGreaterThan(100);
      expect(found(failures.join('\n'))).toEqual(NOTHING);
    });

    it('in metrics', async () => {
      const metrics = `${await a.metrics()}${await b.metrics()}`;
      expect(metrics).toContain('/authservice.session.v1.SessionService/Login');
      expect(found(metrics)).toEqual(NOTHING);
    });

    it('in the database, audit records included', async () => {
      await Promise.all([a.core.flush(), b.core.flush()]);
      const bytes = await databaseBytes(a.database, a.databaseUrl);
      expect(bytes.includes(username)).toBe(true);
      for (const event of [
        'login.failed',
        'client.authentication-failed',
        'api-key.issued',
        'session.refresh-token-replayed',
        'second-factor.failed',
      ])
        expect(bytes.includes(event)).toBe(true);
      expect(found(bytes)).toEqual(NOTHING);
    });

    it('many secrets were used and many traces searched', () => {
      expect(canaries.size).toBeGreaterThan(50);
    });
  });
});
