// The life of signing keys: listed, rotated, retired, deleted. Permissions are in roles.test.ts.
import { decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  SigningKeyChain,
  SigningKeyState,
  type SigningKey,
} from '../../../proto/gen/authservice/key/v1/key_service.ts';
import { cleanup } from '../../../src/platform/jobs/cleanup.ts';
import { ACTIVATION_DELAY_MS } from '../../../src/auth/keys/rotation-schedule.ts';
import { SIGNING_KEYS_CLEANUPS } from '../../../src/auth/keys/key-store.ts';
import { ENGINES } from '../../support/databases.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { tokenForge } from '../../support/forged-tokens.ts';
import { PUBLIC_URL } from '../../support/mails.ts';
import { restClient, sessionOf } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';
import { actorOf, clientsOf, openWorld, type World } from '../../support/world.ts';
import { outcomeOf, refusal } from '../../support/rpc-outcomes.ts';

const {
  SIGNING_KEY_STATE_PUBLISHED: PUBLISHED,
  SIGNING_KEY_STATE_ACTIVE: ACTIVE,
  SIGNING_KEY_STATE_RETIRED: RETIRED,
} = SigningKeyState;
const { SIGNING_KEY_CHAIN_ACCESS: ACCESS, SIGNING_KEY_CHAIN_ID: ID } = SigningKeyChain;
/** The longest token and a margin. */
const UNTIL_GONE_MS = 900_000 + 60_000;
/** An ID token and a margin. */
const UNTIL_ID_KEY_GONE_MS = 600_000 + 60_000;
/** A provider has keys of ID tokens. */
const PROVIDER = { 'app.public-url': PUBLIC_URL };
/** The longest grant, whose ID token may come back as a hint. */
const KEPT_MS = 400 * 24 * 3600_000;

describe.each(DIAGONAL)('the keys of access tokens ($engine, $transport)', ({ engine, transport }) => {
  let world: World;
  /** Another process on the same database. */
  let other: Deployment;

  beforeAll(async () => {
    world = await openWorld({ engine, transport, settings: PROVIDER });
    const { clock, databaseUrl } = world.deployment;
    other = await deploy({ engine, transport, clock, databaseUrl, settings: PROVIDER });
  });
  afterAll(async () => {
    await other?.close();
    await world?.close();
  });

  /** SUPER_ADMIN with a token of now. */
  const root = async () => actorOf(world.root.account, await seedSession(world.deployment, world.root.account));
  const list = async ({ client }: Pick<Deployment, 'client'> = world.deployment) =>
    (await clientsOf({ client }).key.listSigningKeys({}, (await root()).as)).keys.filter(
      ({ chain }) => chain === ACCESS,
    );
  const rotate = async ({ client }: Pick<Deployment, 'client'> = world.deployment): Promise<SigningKey> =>
    (await clientsOf({ client }).key.rotateSigningKey({ chain: ACCESS }, (await root()).as)).key!;
  const published = async ({ url }: Pick<Deployment, 'url'>): Promise<string[]> => {
    const { body } = await restClient(url).send('GET', '/.well-known/jwks.json');
    return body.keys.flatMap(({ kid, alg }: { kid: string; alg: string }) => (alg === 'ES256' ? [kid] : []));
  };
  const kidOf = (accessToken: string) => decodeProtectedHeader(accessToken).kid;
  /** Who signs what each process hands out now. */
  const signers = () =>
    Promise.all(
      [world.deployment, other].map(async ({ url }) => {
        const { cookie } = (await root()).session;
        return kidOf((await restClient(url).refresh(cookie)).body.accessToken);
      }),
    );

  it('begin with one active key', async () => {
    const now = new Date(world.deployment.clock.now());
    expect(await list()).toEqual([
      {
        kid: kidOf(world.root.session.accessToken),
        algorithm: 'ES256',
        state: ACTIVE,
        createdAt: now,
        signsFrom: now,
        verifiesUntil: undefined,
        chain: ACCESS,
      },
    ]);
  });

  it('go through all states, on every process', async () => {
    const { clock, database } = world.deployment;
    const first = (await list())[0]!;
    const before = await root();
    const now = clock.now();
    const second = await rotate();
    const signsFrom = new Date(now + ACTIVATION_DELAY_MS);
    expect(second).toEqual({
      kid: expect.stringMatching(/^[\w-]{43}$/),
      algorithm: 'ES256',
      state: PUBLISHED,
      createdAt: new Date(now),
      signsFrom,
      verifiesUntil: undefined,
      chain: ACCESS,
    });
    expect(await list()).toEqual([second, first]);
    expect(await published(world.deployment)).toEqual([first.kid, second.kid]);
    expect(await signers()).toEqual([first.kid, first.kid]);

    clock.advance(60_001);
    expect(await published(other)).toEqual([first.kid, second.kid]);
    clock.advance(ACTIVATION_DELAY_MS - 60_002);
    expect(await signers()).toEqual([first.kid, first.kid]);
    const last = await root();

    clock.advance(1);
    expect(await signers()).toEqual([second.kid, second.kid]);
    const verifiesUntil = new Date(signsFrom.getTime() + UNTIL_GONE_MS);
    expect(await list(other)).toEqual([
      { ...second, state: ACTIVE },
      { ...first, state: RETIRED, verifiesUntil },
    ]);
    for (const { url } of [world.deployment, other]) {
      for (const { session } of [before, last])
        expect((await restClient(url).me(session.accessToken)).status).toBe(200);
    }

    clock.advance(898_000);
    expect((await restClient(other.url).me(last.session.accessToken)).status).toBe(200);
    clock.advance(UNTIL_GONE_MS - 1 - 898_000);
    const run = () => cleanup({ database, clock: clock.now, targets: SIGNING_KEYS_CLEANUPS });
    expect(await run()).toBe(0);
    expect(await published(other)).toEqual([first.kid, second.kid]);
    clock.advance(1);
    for (const deployment of [world.deployment, other]) expect(await published(deployment)).toEqual([second.kid]);
    expect((await list()).map(({ kid }) => kid)).toEqual([second.kid]);
    clock.advance(KEPT_MS - 1);
    expect(await run()).toBe(0);
    clock.advance(1);
    expect(await run()).toBe(1);
    expect((await list()).map(({ kid }) => kid)).toEqual([second.kid]);
  });

  it('are rotated one at a time', async () => {
    const { clock } = world.deployment;
    const outcomes = await Promise.all(
      [world.deployment, other, world.deployment, other].map((at) => outcomeOf(rotate(at))),
    );
    expect(outcomes.toSorted()).toEqual(['CONFLICT', 'CONFLICT', 'CONFLICT', 'OK']);
    const [newest] = await list();
    expect(newest!.state).toBe(PUBLISHED);
    clock.advance(ACTIVATION_DELAY_MS - 1);
    expect(await refusal(rotate(other))).toMatchObject({
      reason: 'CONFLICT',
      message: `A new key signs from ${newest!.signsFrom!.toISOString()}; until then no other can be added`,
    });
    clock.advance(1);
    expect((await rotate(other)).kid).not.toBe(newest!.kid);
    clock.advance(ACTIVATION_DELAY_MS);
  });

  it('are audited with the rotating account', async () => {
    const key = await rotate();
    const { records } = await world.clients.audit.listAuditRecords(
      { events: ['signing-key.rotated'] },
      (await root()).as,
    );
    expect(records[0]).toMatchObject({ event: 'signing-key.rotated', actorId: world.root.account.id });
    expect(records[0]!.tenantId).toBeUndefined();
    expect(JSON.parse(records[0]!.details)).toEqual({
      chain: 'ACCESS',
      kid: key.kid,
      algorithm: 'ES256',
      signsFrom: key.signsFrom!.toISOString(),
    });
    world.deployment.clock.advance(ACTIVATION_DELAY_MS);
  });
});

describe.each(DIAGONAL)('the keys of ID tokens ($engine, $transport)', ({ engine, transport }) => {
  let world: World;
  /** Another process on the same database. */
  let other: Deployment;

  beforeAll(async () => {
    world = await openWorld({ engine, transport, settings: PROVIDER });
    const { clock, databaseUrl } = world.deployment;
    other = await deploy({ engine, transport, clock, databaseUrl, settings: PROVIDER });
  });
  afterAll(async () => {
    await other?.close();
    await world?.close();
  });

  const as = async () => actorOf(world.root.account, await seedSession(world.deployment, world.root.account)).as;
  const list = async ({ client }: Pick<Deployment, 'client'> = world.deployment) =>
    (await clientsOf({ client }).key.listSigningKeys({}, await as())).keys;
  const rotate = async (chain?: SigningKeyChain, { client }: Pick<Deployment, 'client'> = world.deployment) =>
    (await clientsOf({ client }).key.rotateSigningKey({ ...(chain !== undefined && { chain }) }, await as())).key!;
  const published = async ({ url }: Pick<Deployment, 'url'>) =>
    (await restClient(url).send('GET', '/.well-known/jwks.json')).body.keys as { kid: string; alg: string }[];
  const rotations = async () => {
    const { records } = await world.clients.audit.listAuditRecords({ events: ['signing-key.rotated'] }, await as());
    return records.map(({ details }) => JSON.parse(details) as Record<string, unknown>);
  };

  it('are beside those of access tokens, listed and published by all processes', async () => {
    const keys = await list();
    expect(keys.map(({ chain, algorithm, state }) => ({ chain, algorithm, state }))).toEqual(
      expect.arrayContaining([
        { chain: ACCESS, algorithm: 'ES256', state: ACTIVE },
        { chain: ID, algorithm: 'RS256', state: ACTIVE },
      ]),
    );
    expect(keys).toHaveLength(2);
    expect(await list(other)).toEqual(keys);
    const set = await published(world.deployment);
    expect(set.map(({ alg }) => alg)).toEqual(['ES256', 'RS256']);
    expect(await published(other)).toEqual(set);
    const [, rsa] = set as unknown as { n: string; e: string; use: string }[];
    expect(rsa).toMatchObject({ kty: 'RSA', e: 'AQAB', use: 'sig' });
    expect(Buffer.from(rsa!.n, 'base64url').length * 8).toBeGreaterThanOrEqual(2048);
  });

  it('are rotated alone, and go through all states on every process', async () => {
    const { clock } = world.deployment;
    const [access, first] = (await list()).toSorted((one, two) => one.chain - two.chain) as [SigningKey, SigningKey];
    clock.advance(1);
    const second = await rotate(ID);
    const signsFrom = new Date(clock.now() + ACTIVATION_DELAY_MS);
    expect(second).toMatchObject({ chain: ID, algorithm: 'RS256', state: PUBLISHED, signsFrom });
    expect(await rotations()).toEqual([
      { chain: 'ID', kid: second.kid, algorithm: 'RS256', signsFrom: signsFrom.toISOString() },
    ]);
    clock.advance(60_001);
    for (const deployment of [world.deployment, other])
      expect((await published(deployment)).map(({ kid }) => kid)).toEqual([access.kid, first.kid, second.kid]);
    clock.advance(ACTIVATION_DELAY_MS - 60_001);
    const verifiesUntil = new Date(signsFrom.getTime() + UNTIL_ID_KEY_GONE_MS);
    expect(await list(other)).toEqual(
      expect.arrayContaining([access, { ...second, state: ACTIVE }, { ...first, state: RETIRED, verifiesUntil }]),
    );
    clock.advance(UNTIL_ID_KEY_GONE_MS - 1);
    expect((await published(other)).map(({ kid }) => kid)).toContain(first.kid);
    clock.advance(1);
    expect((await published(other)).map(({ kid }) => kid)).toEqual([access.kid, second.kid]);
    expect((await list()).map(({ kid }) => kid)).toEqual([second.kid, access.kid]);
  });

  it('are rotated with those of access tokens by default, all or none', async () => {
    const { clock } = world.deployment;
    const before = (await rotations()).length;
    const key = await rotate();
    expect(key).toMatchObject({ chain: ACCESS, algorithm: 'ES256', state: PUBLISHED });
    const added = (await rotations()).slice(0, -before);
    expect(added.map(({ chain }) => String(chain)).toSorted()).toEqual(['ACCESS', 'ID']);
    expect(await list()).toHaveLength(4);
    clock.advance(ACTIVATION_DELAY_MS);
    await rotate(ID);
    expect(await refusal(rotate())).toMatchObject({ reason: 'CONFLICT' });
    expect((await list()).filter(({ chain }) => chain === ACCESS)).toHaveLength(2);
    await rotate(ACCESS);
    clock.advance(ACTIVATION_DELAY_MS);
  });

  it('are rotated one at a time', async () => {
    const attempts = [world.deployment, other, world.deployment, other].map((at) => outcomeOf(rotate(ID, at)));
    expect((await Promise.all(attempts)).toSorted()).toEqual(['CONFLICT', 'CONFLICT', 'CONFLICT', 'OK']);
  });
});

describe.each(ENGINES)('after a leak, on %s', (engine) => {
  it('tokens of the old key are rejected, and sessions continue', async () => {
    const world = await openWorld({ engine, transport: 'local', settings: PROVIDER });
    const { clock, database, databaseUrl, url } = world.deployment;
    const { account, session } = world.root;
    const forge = await tokenForge(world.deployment, account, session.id);
    const stolen = () => forge.signed(forge.claims({ exp: Math.floor(clock.now() / 1000) + 86_400 }));
    const verified = stolen();
    const statuses = async (at: string) => {
      const me = async (token: string) => (await restClient(at).me(token)).status;
      return [await me(verified), await me(stolen())];
    };
    expect(await statuses(url)).toEqual([200, 200]);

    await database.execute('DELETE FROM signing_keys');
    clock.advance(60_001);
    const meanwhile = sessionOf(await restClient(url).refresh(session.cookie));
    expect((await restClient(url).me(meanwhile.accessToken)).status).toBe(200);
    // Of several processes the first that is started again.
    const restarted = await deploy({ engine, transport: 'local', clock, databaseUrl, settings: PROVIDER });
    try {
      expect(await statuses(restarted.url)).toEqual([401, 401]);
      clock.advance(60_001);
      const sets = await Promise.all(
        [url, restarted.url].map(async (at) => (await restClient(at).send('GET', '/.well-known/jwks.json')).body),
      );
      expect(sets[0]).toEqual(sets[1]);
      expect(sets[0].keys).toHaveLength(2);
      expect(sets[0].keys[0].kid).not.toBe(forge.kid);
      expect(await statuses(url)).toEqual([401, 401]);
      const renewed = sessionOf(await restClient(url).refresh(meanwhile.cookie));
      for (const at of [url, restarted.url]) expect((await restClient(at).me(renewed.accessToken)).status).toBe(200);
    } finally {
      await restarted.close();
      await world.close();
    }
  });
});
