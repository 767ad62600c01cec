// The authentication of clients, with its audit records, limits and work, over fakes.
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import type { Call } from '../../../src/auth/access/principal.ts';
import type { Account } from '../../../src/auth/access/account.ts';
import type { AuditEvent } from '../../../src/auth/audit/trail/audit-log.ts';
import type { ClientApplication } from '../../../src/auth/oauth/applications/application-loader-store.ts';
import { createAdmitClient } from '../../../src/auth/oauth/tokens/client-admission.ts';
import { createClientAuthentications, type ClientUse } from '../../../src/auth/oauth/tokens/client-authentication.ts';
import type { PresentedClient } from '../../../src/auth/oauth/tokens/client-method.ts';
import { UNLIMITED } from '../../../src/platform/clock.ts';
import { newId } from '../../../src/platform/db/ids.ts';
import { ServiceError } from '../../../src/platform/errors.ts';
import { assertionAudiences } from '../../../src/composition/clients.ts';
import { webApplication } from '../../support/oauth/applications.ts';

const NOW = Date.UTC(2026, 0);
const ISSUER = 'https://auth.example.com';
const ADDRESS = '192.0.2.1';
const SECRET_ID = newId();
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const JWKS = JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1' }] });

const WEB = webApplication({ clientId: 'web-app' });
const KEYS = webApplication({ clientId: 'keys-app', jwks: JWKS });
const SPA = webApplication({ clientId: 'spa-app', type: 'SPA' });
const SUSPENDED = webApplication({ clientId: 'stopped-app', tenantId: 'stopped' });
const SERVICE = { id: newId(), username: 'sync' } as Account;

/** An authentication whose work, audit records and limits the test sees. */
function stage({ audiences = [ISSUER] as readonly string[], limited = '' } = {}) {
  const work: string[] = [];
  const events: AuditEvent[] = [];
  const used: string[] = [];
  const claimed = new Set<string>();
  let now = NOW;
  const admissionOf = createAdmitClient({
    rateLimit: async (outcome, clientId, address) => {
      work.push(`limit ${outcome} ${clientId} ${address}`);
      if (outcome === limited) throw new ServiceError('TOO_MANY_REQUESTS');
      return () => void work.push('given back');
    },
    clock: () => now,
  });
  const clients = createClientAuthentications({
    async findByClientId(clientId) {
      work.push('application');
      const application = [WEB, KEYS, SPA, SUSPENDED].find((one) => one.clientId === clientId);
      return application && { application, tenantStatus: application === SUSPENDED ? 'SUSPENDED' : 'ACTIVE' };
    },
    async authenticateServiceAccount({ clientId, clientSecret }) {
      work.push('service account');
      if (clientId === 'sync' && clientSecret === 'right') return SERVICE;
      throw new ServiceError('INVALID_CLIENT');
    },
    async checkSecret(_owner, secret) {
      work.push('secrets');
      return secret === 'right' ? { kind: 'right', secretId: SECRET_ID } : { kind: 'wrong' };
    },
    async claimAssertion(applicationId, { jti }) {
      work.push('claim');
      const key = `${applicationId} ${jti}`;
      return !claimed.has(key) && Boolean(claimed.add(key));
    },
    audiencesOf: () => audiences,
    admissionOf,
    audit: {
      record: async (_context, event) => void events.push(event),
      refuse: (_context, event) => void events.push(event),
    },
    clock: () => now,
    runRefusable: (check) => check(),
    used: (id) => void used.push(id),
  });
  const call = { requestId: 'r', clientAddress: ADDRESS, deadline: UNLIMITED } as Call;
  /** Returns the client id, or the reason of the refusal. */
  async function authenticate(presented: PresentedClient, use: ClientUse = { endpoint: 'token' }): Promise<string> {
    try {
      const client = await clients.authenticateAny(presented, call, use);
      return client.kind === 'application' ? client.application.clientId : `account ${client.account.username}`;
    } catch (error) {
      if (error instanceof ServiceError) return error.reason;
      throw error;
    }
  }
  return { clients, call, authenticate, work, events, used, pass: (ms: number) => void (now += ms) };
}

const withSecret = (clientId: string, clientSecret = 'right') => ({ clientId, clientSecret });
async function withAssertion(clientId: string, claims: object = {}): Promise<PresentedClient> {
  const clientAssertion = await new SignJWT({
    iss: clientId,
    sub: clientId,
    aud: ISSUER,
    exp: NOW / 1000 + 60,
    jti: randomUUID(),
    ...claims,
  })
    .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
    .sign(privateKey);
  return { clientAssertion, clientAssertionType: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer' };
}

it('records the secret of an application, and its use', async () => {
  const { authenticate, events, used, work } = stage();
  expect(await authenticate(withSecret('web-app'))).toBe('web-app');
  const details = { application: WEB.id, secretId: SECRET_ID };
  expect(events).toEqual([{ event: 'client.authenticated', tenantId: 'acme', username: 'web-app', details }]);
  expect(used).toEqual([SECRET_ID]);
  expect(work).toEqual(['application', 'secrets']);
});

it('records the key of an assertion', async () => {
  const { authenticate, events, used } = stage();
  expect(await authenticate(await withAssertion('keys-app'))).toBe('keys-app');
  const details = { application: KEYS.id, keyId: 'k1' };
  expect(events).toEqual([{ event: 'client.authenticated', tenantId: 'acme', username: 'keys-app', details }]);
  expect(used).toEqual([]);
});

it('takes an assertion once', async () => {
  const { authenticate, events } = stage();
  const assertion = await withAssertion('keys-app');
  expect([await authenticate(assertion), await authenticate(assertion)]).toEqual(['keys-app', 'INVALID_CLIENT']);
  expect(events[1]).toMatchObject({
    event: 'client.authentication-failed',
    details: { application: KEYS.id, reason: 'used-assertion' },
  });
});

it('does not use up an assertion that it refuses', async () => {
  const { authenticate, work } = stage();
  expect(await authenticate(await withAssertion('keys-app', { aud: 'x' }))).toBe('INVALID_CLIENT');
  expect(await authenticate({ ...(await withAssertion('keys-app')), clientId: 'web-app' })).toBe('INVALID_CLIENT');
  expect(work).not.toContain('claim');
});

it('takes the name of a public application without a record', async () => {
  const { authenticate, events, work } = stage();
  expect(await authenticate({ clientId: 'spa-app' })).toBe('spa-app');
  expect(events).toEqual([]);
  expect(work).toEqual(['application']);
});

it('takes no public application at introspection', async () => {
  const { authenticate } = stage();
  expect(await authenticate({ clientId: 'spa-app' }, { endpoint: 'introspect' })).toBe('INVALID_CLIENT');
});

it.each<[what: string, reason: string, presented: PresentedClient, use?: ClientUse]>([
  ['a wrong secret', 'wrong-secret', withSecret('web-app', 'wrong')],
  ['no secret', 'wrong-method', { clientId: 'web-app' }],
  ['a secret of a public application', 'wrong-method', withSecret('spa-app')],
  ['a secret of an application with keys', 'wrong-method', withSecret('keys-app')],
  ['a suspended tenant', 'tenant-suspended', withSecret('stopped-app'), { endpoint: 'introspect' }],
])('refuses %s, and records why', async (_what, reason, presented, use) => {
  const { authenticate, events, work } = stage();
  expect(await authenticate(presented, use)).toBe('INVALID_CLIENT');
  expect(events).toMatchObject([
    { event: 'client.authentication-failed', username: presented.clientId, details: { reason } },
  ]);
  expect(work.at(-1)).toBe(`limit refusal ${presented.clientId} ${ADDRESS}`);
});

it('records the name of an unknown client without an application', async () => {
  const { authenticate, events } = stage();
  expect(await authenticate({ clientId: 'Nobody' })).toBe('INVALID_CLIENT');
  expect(events).toEqual([
    {
      event: 'client.authentication-failed',
      tenantId: undefined,
      username: 'nobody',
      details: { reason: 'unknown-client' },
    },
  ]);
});

describe('the work of a refusal', () => {
  const limit = (clientId: string) => `limit refusal ${clientId} ${ADDRESS}`;

  it('reads the secrets also of an application that is refused for another reason', async () => {
    for (const presented of [withSecret('web-app', 'wrong'), withSecret('spa-app'), withSecret('stopped-app')]) {
      const { authenticate, work } = stage();
      await authenticate(presented, { endpoint: 'introspect' });
      expect(work).toEqual(['application', 'secrets', limit(presented.clientId)]);
    }
  });

  it('looks for a service account with the secret of a client that is no application', async () => {
    const { authenticate, work } = stage();
    expect(await authenticate(withSecret('sync'))).toBe('account sync');
    expect(await authenticate(withSecret('nobody'))).toBe('INVALID_CLIENT');
    expect(work).toEqual(['application', 'service account', 'application', 'service account']);
  });
});

describe('limits', () => {
  it.each([
    [undefined, []],
    ['none', []],
    ['grant', [`limit grant web-app ${ADDRESS}`]],
    ['introspection', [`limit introspection web-app ${ADDRESS}`]],
  ] as const)('count a success with the limit %s', async (limit, counted) => {
    const { authenticate, work } = stage();
    await authenticate(withSecret('web-app'), { endpoint: 'token', ...(limit && { limit }) });
    expect(work.slice(2)).toEqual(counted);
  });

  it('hide a refusal beyond them', async () => {
    const { authenticate, events } = stage({ limited: 'refusal' });
    expect(await authenticate(withSecret('web-app', 'wrong'))).toBe('TOO_MANY_REQUESTS');
    expect(events).toEqual([]);
  });
});

describe('audit records of successes', () => {
  const LIMITED = { endpoint: 'token', limit: 'grant' } as const;

  it('are one a minute for a secret and a network', async () => {
    const { authenticate, events, pass } = stage();
    for (const ms of [0, 59_999, 1, 30_000]) {
      pass(ms);
      await authenticate(withSecret('web-app'));
    }
    expect(events).toHaveLength(2);
  });

  it('are one a grant of a service account', async () => {
    const { authenticate, events } = stage();
    await authenticate(withSecret('web-app'), LIMITED);
    await authenticate(withSecret('web-app'), LIMITED);
    expect(events).toHaveLength(2);
  });
});

describe('an application alone', () => {
  const application = async (presented: PresentedClient): Promise<ClientApplication> => {
    const { clients, call } = stage();
    return clients.authenticateApplication(presented, call, { endpoint: 'par' });
  };

  it('is returned', async () => {
    expect(await application(withSecret('web-app'))).toBe(WEB);
  });

  it('is not a service account, which has authenticated', async () => {
    await expect(application(withSecret('sync'))).rejects.toMatchObject({ reason: 'UNAUTHORIZED_CLIENT' });
    await expect(application(withSecret('sync', 'wrong'))).rejects.toMatchObject({ reason: 'INVALID_CLIENT' });
  });
});

it.each([
  ['spa-app', SPA],
  ['web-app', undefined],
  ['stopped-app', undefined],
  ['nobody', undefined],
])('finds the public application %s', async (clientId, found) => {
  const { clients, events } = stage();
  expect(await clients.findPublicApplication(clientId)).toBe(found);
  expect(events).toEqual([]);
});

describe('the audiences of assertions', () => {
  const audiencesOf = (url: string | undefined, issuer: string, contextPath = 'any') =>
    assertionAudiences({
      'app.security.jwt.issuer': issuer,
      'app.public-url': url,
      'app.http.context-path': contextPath,
    });

  it('are the issuer and the URL of the endpoint', () => {
    const of = audiencesOf(ISSUER, ISSUER);
    expect(new Set(of('token'))).toEqual(new Set([ISSUER, `${ISSUER}/api/v1/auth/oauth2/token`]));
    expect(new Set(of('introspect'))).toEqual(new Set([ISSUER, `${ISSUER}/api/v1/auth/introspect`]));
    expect(new Set(of('revoke'))).toEqual(new Set([ISSUER, `${ISSUER}/api/v1/auth/revoke`]));
  });

  it('are those of the token endpoint at PAR, too (RFC 9126 section 2)', () => {
    const paths = ['/api/v1/auth/oauth2/par', '/api/v1/auth/oauth2/token'];
    expect(new Set(audiencesOf(ISSUER, ISSUER)('par'))).toEqual(
      new Set([ISSUER, ...paths.map((path) => ISSUER + path)]),
    );
  });

  it('have the context path once', () => {
    const shop = `${ISSUER}/shop`;
    for (const issuer of [ISSUER, shop])
      expect(audiencesOf(shop, issuer, '/shop')('token')).toContain(`${shop}/api/v1/auth/oauth2/token`);
  });

  it('are the issuer alone if no URL is known', () => {
    expect(audiencesOf(undefined, 'service')('token')).toEqual(['service']);
  });
});
