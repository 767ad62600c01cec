// ApiKeyService and X-Api-Key for gRPC clients: the core makes every check of the gateway itself.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiKeyServiceService } from '../../proto/gen/authservice/apikey/v1/api_key_service.ts';
import { IdentityServiceService } from '../../proto/gen/authservice/identity/v1/identity_service.ts';
import { newId } from '../../src/platform/db/ids.ts';
import type { Account } from '../../src/auth/access/account.ts';
import type { CallOptions, Client } from '../../src/platform/rpc/types.ts';
import { seedAccount, type Seed } from '../support/accounts.ts';
import { deploy, DIAGONAL, type Deployment } from '../support/deployment.ts';
import { seedSession } from '../support/sessions.ts';
import { refusal } from '../support/rpc-outcomes.ts';

describe.each(DIAGONAL)('on $engine over $transport', ({ engine, transport }) => {
  let deployment: Deployment;
  let keys: Client<typeof ApiKeyServiceService>;
  let admin: CallOptions;
  let account: Account;

  const credentialOf = async (seed: Seed): Promise<CallOptions> => {
    const { accessToken } = await seedSession(deployment, await seedAccount(deployment.database, seed));
    return { authorization: [`Bearer ${accessToken}`] };
  };

  beforeAll(async () => {
    const settings = { 'app.security.api-key.enabled': 'true' };
    deployment = await deploy({ engine, transport, settings });
    keys = deployment.client(ApiKeyServiceService);
    admin = await credentialOf({ roles: ['ADMIN'] });
    account = await seedAccount(deployment.database, { interactive: false });
  });
  afterAll(() => deployment?.close());

  const request = (more: { label?: string; expiresAt?: Date; serviceAccountId?: string } = {}) => ({
    serviceAccountId: account.id,
    label: 'by rpc',
    expiresAt: undefined,
    ...more,
  });
  const reasonOf = async (call: Promise<unknown>) => (await refusal(call)).reason;

  it('issues, lists and revokes', async () => {
    const owner = await seedAccount(deployment.database, { interactive: false });
    const serviceAccountId = owner.id;
    const expiresAt = new Date(deployment.clock.now() + 1);
    const { key, apiKey } = await keys.issueApiKey(request({ serviceAccountId, expiresAt }), admin);
    expect(key).toEqual({
      keyId: expect.any(String),
      label: 'by rpc',
      prefix: apiKey.slice(0, 13),
      createdAt: new Date(deployment.clock.now()),
      createdBy: expect.any(String),
      expiresAt,
    });
    const listed = await keys.listApiKeys({ serviceAccountId, page: undefined }, admin);
    expect(listed).toEqual({ keys: [key], page: { page: 1, perPage: 20, total: 1 } });
    const named = { serviceAccountId, keyId: key!.keyId };
    expect(await keys.revokeApiKey(named, admin)).toEqual({});
    expect(await reasonOf(keys.revokeApiKey(named, admin))).toBe('NOT_FOUND');
  });

  it('accepts the key as metadata, for the same principal as a token', async () => {
    const identity = deployment.client(IdentityServiceService);
    const { apiKey, key } = await keys.issueApiKey(request(), admin);
    expect((await identity.getMe({}, { apiKey: [apiKey] })).account).toMatchObject({ id: account.id });
    expect(await reasonOf(identity.getMe({}, { apiKey: [apiKey], ...admin }))).toBe('VALIDATION_ERROR');
    expect(await reasonOf(identity.getMe({}, { apiKey: [apiKey, apiKey] }))).toBe('TOKEN_INVALID');
    expect(await reasonOf(identity.getMe({}, { apiKey: ['\u0000ünïcode'] }))).toBe('TOKEN_INVALID');
    expect(await reasonOf(identity.getMe({}, { apiKey: [''] }))).toBe('TOKEN_MISSING');
    await keys.revokeApiKey({ serviceAccountId: account.id, keyId: key!.keyId }, admin);
    expect(await reasonOf(identity.getMe({}, { apiKey: [apiKey] }))).toBe('TOKEN_INVALID');
  });

  it.each<[what: string, change: Parameters<typeof request>[0], props: string[]]>([
    ['an empty label', { label: '' }, ['label']],
    ['a blank label', { label: '\u2003\n' }, ['label']],
    ['101 characters', { label: '🔑'.repeat(101) }, ['label']],
    ['an end in the past', { expiresAt: new Date(0) }, ['expiresAt']],
    ['an end beyond all years', { expiresAt: new Date(8.64e15) }, ['expiresAt']],
    ['both', { label: '', expiresAt: new Date(0) }, ['label', 'expiresAt']],
  ])('returns VALIDATION_ERROR for %s', async (_what, change, props) => {
    const { reason, violations } = await refusal(keys.issueApiKey(request(change), admin));
    expect([reason, violations.flatMap((violation) => violation.props ?? [])]).toEqual(['VALIDATION_ERROR', props]);
  });

  it.each([
    [{ page: -1, perPage: 0 }, ['page']],
    [{ page: 1_000_001, perPage: 101 }, ['page', 'perPage']],
    [{ page: 1, perPage: -1 }, ['perPage']],
  ])('returns VALIDATION_ERROR for %j', async (page, props) => {
    const { reason, violations } = await refusal(keys.listApiKeys({ serviceAccountId: account.id, page }, admin));
    expect([reason, violations.flatMap((violation) => violation.props ?? [])]).toEqual(['VALIDATION_ERROR', props]);
  });

  it('checks credential, role, record, request and state in that order', async () => {
    const user = await seedAccount(deployment.database);
    const seller = await credentialOf({ roles: ['SALES'] });
    const foreign = await seedAccount(deployment.database, { tenantId: 'globex', interactive: false });
    const issue = (serviceAccountId: string, label: string, options: CallOptions) =>
      reasonOf(keys.issueApiKey(request({ serviceAccountId, label }), options));
    expect(await issue('x', '', {})).toBe('TOKEN_MISSING');
    expect(await issue('x', '', { authorization: ['Bearer x'] })).toBe('TOKEN_INVALID');
    expect(await issue('x', '', seller)).toBe('PERMISSION_DENIED');
    for (const id of ['', 'x', newId(), foreign.id, foreign.id.toUpperCase()])
      expect(await issue(id, '', admin)).toBe('NOT_FOUND');
    expect(await issue(user.id, '', admin)).toBe('VALIDATION_ERROR');
    expect(await issue(user.id, 'x', admin)).toBe('PRINCIPAL_NOT_ELIGIBLE');
  });

  it('does nothing for a valid request with the access-check flag', async () => {
    const owner = await seedAccount(deployment.database, { interactive: false });
    const marked = { ...admin, accessCheckOnly: true };
    const { key } = await keys.issueApiKey(request({ serviceAccountId: owner.id }), admin);
    const named = { serviceAccountId: owner.id, keyId: key!.keyId };
    expect(await reasonOf(keys.issueApiKey(request({ serviceAccountId: owner.id }), marked))).toBe('VALIDATION_ERROR');
    expect(await reasonOf(keys.revokeApiKey(named, marked))).toBe('VALIDATION_ERROR');
    const listed = await keys.listApiKeys({ serviceAccountId: owner.id, page: undefined }, admin);
    expect(listed.keys).toEqual([key]);
  });
});
