// ExplainCredential compared with real calls: every kind of credential in every state.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  CredentialCheckKind,
  type CredentialCheck,
  type ExplainCredentialResponse,
} from '../../../proto/gen/authservice/identity/v1/identity_service.ts';
import { ON_SQLITE } from '../../support/deployment.ts';
import { createCanaries } from '../../support/canaries.ts';
import { openWorld, type World } from '../../support/world.ts';
import { idToBytes, newId } from '../../../src/platform/db/ids.ts';
import { ABANDONED_AFTER_MS } from '../../../src/auth/session/rotation/settlement.ts';
import { HAND_OUT, set, USE, type CredentialCase, type Handed } from './scene.ts';
import { STATES } from './states.ts';
import { enumName } from '../../../src/platform/rpc/message.ts';

const TABLES = [
  'session_families',
  'token_blacklist',
  'accounts',
  'client_secrets',
  'audit_records',
  'login_decoys',
  'authorization_codes',
  'grants',
];
const kindOf = ({ kind }: CredentialCheck) => enumName(CredentialCheckKind, kind).replace('CREDENTIAL_CHECK_KIND_', '');
const failedOf = ({ checks }: ExplainCredentialResponse) => checks.filter(({ passed }) => !passed);

describe.each(ON_SQLITE)('$engine, $transport', (deployment) => {
  let world: World;

  beforeAll(async () => {
    const settings = { 'app.security.api-key.enabled': 'true', 'app.security.m2m.rate-limit.store': 'none' };
    // Neither cleanup nor the last uses of client secrets, which are written later: only the test changes rows.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      world = await openWorld({ ...deployment, settings });
    } finally {
      vi.useRealTimers();
    }
    await world.deployment.core.cleanup.stop();
  });
  afterAll(() => world?.close());

  const explain = ($case: CredentialCase, value: string) =>
    world.clients.identity.explainCredential({ credential: { $case, value } }, world.root.as);
  const stored = () => {
    const { database } = world.deployment;
    return Promise.all(TABLES.map((table) => database.query(`SELECT * FROM ${table}`)));
  };

  it.each(STATES)('explains $of $name as it is accepted or rejected', async (state) => {
    const { of, change, failed, says, at } = state;
    const now = world.deployment.clock.now();
    const handed: Handed = await (state.handOut?.(world) ?? HAND_OUT[of](world, state.seed?.(now) ?? {}));
    const value = (await change?.(world, handed)) ?? handed.value;

    const before = await stored();
    const explained = await explain(of, value);
    expect(await explain(of, value)).toEqual(explained);
    expect(await stored()).toEqual(before);

    const [first] = failedOf(explained);
    expect(failedOf(explained).map(kindOf)).toEqual(failed);
    if (says) expect(first!.detail).toMatch(says);
    if (at !== undefined) expect(first!.at).toEqual(new Date(now + at));
    const canaries = createCanaries();
    if (value === handed.value && of !== 'clientId' && of !== 'username') canaries.keep('the credential', value);
    if (handed.secret) canaries.keep('the secret', handed.secret);
    expect(canaries.foundIn(JSON.stringify(explained))).toEqual([]);

    if (of === 'bearerToken' || of === 'apiKey') {
      const { outcome } = await world.clients.identity.authenticate({ credential: { $case: of, value } });
      expect(outcome!.$case).toBe(explained.accepted ? 'principal' : 'refusal');
    }
    expect(explained.accepted).toBe((await USE[of](world, value, handed.secret)) === 'OK');
    if (explained.accepted)
      expect(explained).toMatchObject({ accountId: handed.account.id, tenantId: handed.account.tenantId });
  });

  it.each<[CredentialCase, names: string]>([
    [
      'username',
      'passwordMinLength sessionsPerAccount lockMaxFailures lockDuration allowedOrigins secondFactor recovery language passkeyLogin sharedApplications',
    ],
    ['bearerToken', 'sessionsPerAccount freshSession'],
    [
      'refreshCookie',
      'accessTokenTtl sessionIdleWindow sessionAbsoluteLifetime sessionsPerAccount allowedOrigins secondFactor freshSession',
    ],
    ['refreshToken', 'sessionsPerAccount allowedOrigins secondFactor freshSession'],
    ['apiKey', ''],
    ['clientId', ''],
    ['authorizationCode', 'accessTokenTtl secondFactor sharedApplications'],
    ['applicationRefreshToken', 'accessTokenTtl secondFactor sharedApplications'],
  ])('names the values of the policy that concern a %s, and their source', async (of, names) => {
    const tenantId = `tenant-${newId()}`;
    const { value } = await HAND_OUT[of](world, { tenantId });
    const policy = { sessionsPerAccount: 7, allowedOrigins: [] };
    await world.clients.tenancy.updateTenantPolicy(
      { tenantId, policy, updateMask: ['sessions_per_account'] },
      world.root.as,
    );
    const { checks } = await explain(of, value);
    const values = checks.filter((check) => kindOf(check) === 'POLICY').flatMap(({ detail }) => detail.split('; '));
    expect(values.map((text) => text.split(' ')[0]).join(' ')).toBe(names);
    for (const text of values)
      expect(text).toMatch(
        text.startsWith('sessionsPerAccount')
          ? /^sessionsPerAccount 7, of the tenant's policy$/
          : /^\w+ .*, of the service's (app\.|default$)/,
      );
  });

  it('explains the previous refresh token as undecided until the renewal is final', async () => {
    const { value, sessionId } = await HAND_OUT.refreshCookie(world, {});
    await USE.refreshCookie(world, value, '');
    // As if another process had renewed the session and not yet reported that.
    await set(world, 'session_families', 'id', sessionId, { rotation_batch: idToBytes(newId()) });
    const detail = async () => failedOf(await explain('refreshCookie', value)).map((check) => check.detail);
    const presented = 'generation 1 was presented while 2 is current';
    expect(await detail()).toEqual([
      `${presented}: the renewal may still be set back; until that is decided, a refresh waits, then fails with 503`,
    ]);
    world.deployment.clock.advance(ABANDONED_AFTER_MS);
    expect(await detail()).toEqual([`${presented}: a replay, which would revoke the session`]);
  });
});
