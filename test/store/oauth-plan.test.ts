// The plans of the statements of the OpenID provider: each finds its rows by an index. A login, a refresh and a check of a token must
// not become slower with the number of grants.
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createFindByClientId,
  createFindOwningApplication,
} from '../../src/auth/oauth/applications/application-loader-store.ts';
import {
  deleteApplication,
  findApplication,
  findApplicationByName,
  findLogo,
  insertApplication,
  isResource,
  lockApplication,
  selectClientIds,
  updateApplication,
} from '../../src/auth/oauth/applications/application-store.ts';
import { createRequestStore } from '../../src/auth/oauth/authorize/request-store.ts';
import {
  deleteOpenCodes,
  findCode,
  findCodeInScope,
  insertCode,
  useCode,
} from '../../src/auth/oauth/codes/code-store.ts';
import {
  addConsent,
  deleteConsent,
  deleteConsentsTo,
  createFindConsent,
  findNextConsented,
} from '../../src/auth/oauth/consent/consent-store.ts';
import { createDeviceStore, type DeviceRequest, type DeviceStore } from '../../src/auth/oauth/device/device-store.ts';
import { findGrant, selectLive, selectSurplus } from '../../src/auth/oauth/grants/grant-list-store.ts';
import { createGrantStore, deleteGrants, type Grant } from '../../src/auth/oauth/grants/grant-store.ts';
import {
  addSessionApplication,
  checkLater,
  noticeEnd,
  selectDue,
  selectOfAccounts,
  selectOfTenant,
  takeSessionApplications,
} from '../../src/auth/oauth/logout/session-application-store.ts';
import { newSelector } from '../../src/auth/oauth/grants/refresh-token.ts';
import { createClaimAssertion } from '../../src/auth/oauth/tokens/client-assertion-store.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { idToBytes, newId } from '../../src/platform/db/ids.ts';
import type { Database, SqlValue, Statements } from '../../src/platform/db/types.ts';
import { ENGINES } from '../support/databases.ts';
import { openBrowser } from '../support/oauth/browser.ts';
import { openService, requestIdOf, type Service } from '../support/oauth/service.ts';

const ROOT = join(import.meta.dirname, '../..');
/** So many that no engine reads a whole table rather than its index. */
const ROWS = 150;
const NOW = Date.UTC(2026, 10, 29);
const USE = { now: NOW, idleExpiresAt: NOW, accessExpiresAt: NOW, rotation: undefined };

/** A grant with all that belongs to it. */
interface Scene {
  readonly database: Database;
  readonly grant: Grant;
  readonly clientId: string;
  readonly code: string;
  readonly requestId: string;
}

const accountOf = ({ grant: { tenantId, accountId: id } }: Scene) => ({ tenantId, id });
const applicationOf = ({ grant: { applicationTenant: tenantId, applicationId: id } }: Scene) => ({ tenantId, id });
const consentOf = ({ grant: { tenantId, accountId, applicationId } }: Scene) => ({
  tenantId,
  accountId,
  applicationId,
});

type Act = (scene: Scene, database: Database) => Promise<unknown>;

const onGrant =
  (act: (grants: ReturnType<typeof createGrantStore>, scene: Scene, database: Database) => Promise<unknown>): Act =>
  (scene, database) =>
    act(createGrantStore(database), scene, database);

const DEVICE: DeviceRequest = {
  hash: Buffer.alloc(32, 1),
  userCodeHash: Buffer.alloc(32, 2),
  applicationTenant: undefined,
  applicationId: newId(),
  scopes: [],
  resource: undefined,
  network: '192.0.2.1',
  interval: 5,
  polledAt: undefined,
  deniedAt: undefined,
  requestedAt: NOW,
  expiresAt: NOW + 1,
};

const onDevice =
  (act: (devices: DeviceStore, database: Database) => Promise<unknown>): Act =>
  async (_scene, database) => {
    const devices = createDeviceStore(database);
    await devices.insert(DEVICE, UNLIMITED);
    await act(devices, database);
  };

/** Every function of the stores that reads or writes rows by their values. Those that end what others need are last. */
const ACTS: Readonly<Record<string, Act>> = {
  'the application of a client id': ({ clientId }, db) => createFindByClientId(db, (found) => found)(clientId),
  'the application of a grant': ({ grant }, db) => createFindOwningApplication(db, (found) => found)(grant),
  'an application that is planned': ({ clientId }, db) => findApplicationByName(db, clientId),
  'an application of a tenant': (scene, db) => {
    const { tenantId, id } = applicationOf(scene);
    return findApplication(db, { everyTenant: false, tenantId }, id);
  },
  'an application of any tenant': (scene, db) => findApplication(db, { everyTenant: true }, applicationOf(scene).id),
  'the lock of an application': (scene, db) => lockApplication(db, applicationOf(scene)),
  'the logo of an application': (scene, db) => findLogo(db, applicationOf(scene)),
  'client ids among texts': ({ clientId }, db) => selectClientIds(db, [clientId, 'other']),
  'whether an application has an audience': (_scene, db) => isResource(db, 'https://api.example.com'),
  'a change of an application': async ({ clientId }, db) =>
    updateApplication(db, (await findApplicationByName(db, clientId))!),
  'an open request': ({ requestId }, db) => createRequestStore(db, 9).findOpen(requestId, NOW),
  'a further request': async ({ requestId }, db) => {
    const requests = createRequestStore(db, 1_000);
    const found = await requests.findOpen(requestId, NOW);
    const request = { ...found!, hash: Buffer.alloc(32, 1) };
    expect(await requests.insert(request, UNLIMITED)).toBe(true);
  },
  'the use of a request': async ({ requestId }, db) => {
    const requests = createRequestStore(db, 9);
    const { hash } = (await requests.findOpen(requestId, NOW))!;
    await requests.use(db, { hash, pushedHash: hash }, NOW);
  },
  'a code': ({ code }, db) => findCode(db, code),
  'a code of a tenant': ({ code, grant: { tenantId } }, db) =>
    findCodeInScope(db, { everyTenant: false, tenantId }, code),
  'the use of a code': async ({ code }, db) => useCode(db, db, (await findCode(db, code))!, NOW, UNLIMITED),
  'the end of open codes': (scene, db) => deleteOpenCodes(db, accountOf(scene), scene.grant.applicationId),
  'a device that polls': onDevice((devices) => devices.findByDeviceCode('code')),
  'a device by the code for its user': onDevice((devices) => devices.findOpen(DEVICE.userCodeHash, NOW)),
  'a poll': onDevice((devices) => devices.poll(DEVICE, { now: NOW, isEarly: false }, UNLIMITED)),
  'an early poll': onDevice((devices) => devices.poll(DEVICE, { now: NOW, isEarly: true }, UNLIMITED)),
  'the denial of a device': onDevice((devices, db) => devices.deny(db, DEVICE, NOW, UNLIMITED)),
  'the removal of a device': onDevice((devices, db) => devices.remove(db, DEVICE, NOW, UNLIMITED)),
  'a consent': (scene, db) => createFindConsent(db)(consentOf(scene)),
  'a further consent': (scene, db) => addConsent(db, consentOf(scene), ['openid', 'email'], NOW),
  'the next application with consents': ({ grant }, db) => findNextConsented(db, idToBytes(grant.applicationId)),
  'an assertion': (scene, db) =>
    createClaimAssertion(db)(applicationOf(scene).id, { jti: newId(), expiresAt: NOW }, UNLIMITED),
  'the grant of a refresh token': onGrant((grants, { grant }) => grants.findBySelector(grant.selector)),
  'the grant of an access token': onGrant((grants, { grant }) => grants.findById(grant.id)),
  'a grant of a tenant': onGrant((grants, { grant: { tenantId, id } }) =>
    grants.findInScope({ everyTenant: false, tenantId }, { id }),
  ),
  'a grant of any tenant': onGrant((grants, { grant: { selector } }) =>
    grants.findInScope({ everyTenant: true }, { selector }),
  ),
  'a refresh': onGrant((grants, { grant }, db) => grants.use(db, grant, USE, UNLIMITED)),
  'a rotation': onGrant((grants, { grant }, db) =>
    grants.use(db, grant, { ...USE, rotation: grant.scopes }, UNLIMITED),
  ),
  'the offline grants of an account': onGrant((grants, scene, db) => grants.selectOffline(db, accountOf(scene))),
  'the offline grants of a session': onGrant((grants, { grant }, db) =>
    grants.selectOfSession(db, grant.tenantId, grant.sessionId),
  ),
  'whether there is an offline grant': onGrant((grants, scene, db) =>
    grants.hasOffline(db, accountOf(scene), scene.grant.applicationId),
  ),
  'the live grants for an application': (scene, db) => selectLive(db, accountOf(scene), scene.grant.applicationId, NOW),
  'the surplus of grants': (scene, db) => selectSurplus(db, accountOf(scene), scene.grant.applicationId, NOW),
  'a grant of an account': (scene, db) => findGrant(db, accountOf(scene), scene.grant.id, NOW),
  'a further application of a session': ({ grant }, db) => addSessionApplication(db, db, grant, NOW),
  'sessions that are due': (_scene, db) => selectDue(db, NOW, 10),
  'sessions of accounts that have ended': ({ grant }, db) => selectOfAccounts(db, [grant.accountId, newId()], NOW, 10),
  'sessions of a tenant that has ended': (_scene, db) => selectOfTenant(db, 'acme', NOW, 10),
  'sessions that are looked at later': ({ grant }, db) =>
    checkLater(db, [grant, { ...grant, sessionId: newId() }], NOW),
  'the end of a session': ({ grant }, db) => noticeEnd(db, { tenantId: grant.tenantId, id: grant.sessionId }),
  'the applications of ended sessions': ({ grant }, db) =>
    takeSessionApplications(db, [grant, { ...grant, applicationId: newId() }]),
  'the end of a grant': onGrant((grants, { grant }, db) => grants.revoke(db, grant, 'revoked', NOW, UNLIMITED)),
  'the end of a consent': (scene, db) => deleteConsent(db, consentOf(scene)),
  'the deletion of grants': (scene, db) => deleteGrants(db, scene.grant.tenantId, [scene.grant.id, newId()]),
  'the end of the consents to an application': (scene, db) =>
    deleteConsentsTo(db, idToBytes(scene.grant.applicationId), 10),
  'the end of an application': (scene, db) => deleteApplication(db, applicationOf(scene)),
};

/** By design: they count what they limit, in the index alone, or read all applications for an administrator. */
const UNPLANNED = ['src/auth/oauth/grants/grant-list-store.ts'];
const STORE = /src\/auth\/oauth\/[\w/-]+-store\.ts/;

describe.each(ENGINES)('on %s', (engine) => {
  let service: Service;
  let scene: Scene;
  const stores = new Set<string>();

  beforeAll(async () => {
    service = await openService({ engine, transport: 'local' });
    scene = await openScene(service);
  }, 180_000);
  afterAll(() => service?.close());

  it.each(Object.entries(ACTS))('%s: is found by an index', async (_name, act) => {
    const problems: string[] = [];
    const { database } = scene;
    const explain = async (sql: string, values: readonly SqlValue[] = []) => {
      const [store] = STORE.exec(new Error('caller').stack ?? '') ?? [];
      if (store !== undefined) stores.add(store);
      if (!sql.startsWith('INSERT')) problems.push(...(await PROBLEMS[database.engine](database, sql, values)));
    };
    await act(scene, explaining(database, explain));
    expect(problems).toEqual([]);
  });

  it('the acts are those of all stores', () => {
    const all = globSync('src/auth/oauth/**/*-store.ts', { cwd: ROOT });
    expect(all.length).toBeGreaterThan(6);
    expect(all.filter((path) => !stores.has(path) && !UNPLANNED.includes(path))).toEqual([]);
  });
});

type Explain = (sql: string, values?: readonly SqlValue[]) => Promise<void>;

/** Returns the database, which also explains each statement before it runs. */
function explaining(database: Database, explain: Explain): Database {
  const statements = (db: Statements): Statements => ({
    async query(sql, values) {
      await explain(sql, values);
      return db.query(sql, values);
    },
    async execute(sql, values) {
      await explain(sql, values);
      return db.execute(sql, values);
    },
  });
  return {
    ...database,
    ...statements(database),
    async insert(insertion, deadline) {
      await explain('INSERT');
      return database.insert(insertion, deadline);
    },
    transaction: (deadline, work) => database.transaction(deadline, (tx) => work(statements(tx))),
  };
}

const PROBLEMS: Readonly<
  Record<Database['engine'], (database: Database, sql: string, values: readonly SqlValue[]) => Promise<string[]>>
> = {
  async sqlite(database, sql, values) {
    const plan = await database.query<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, values);
    return plan
      .map(({ detail }) => detail)
      .filter((detail) => /^SCAN (?!CONSTANT|\d+-ROW VALUES)|AUTOMATIC/.test(detail));
  },
  async mysql(database, sql, values) {
    interface Step {
      readonly table: string | null;
      readonly type: string | null;
      readonly key: string | null;
      readonly Extra: string | null;
    }
    const plan = await database.query<Step>(`EXPLAIN FORMAT=TRADITIONAL ${sql}`, values);
    // MySQL reads an index whole where nearly all rows are counted.
    const isCount = ({ Extra }: Step) => sql.startsWith('SELECT COUNT(*)') && Extra?.includes('Using index');
    return plan
      .filter((step) => step.table !== null && (step.type === 'ALL' || (step.type === 'index' && !isCount(step))))
      .map(({ table, type, key }) => `${table}: ${type} ${key ?? 'no index'}`);
  },
};

/** Makes an application, a grant, a code and a request as browsers do, and copies of their rows. */
async function openScene(service: Service): Promise<Scene> {
  const { database } = service.deployment;
  const party = await service.party({ type: 'SPA' });
  const user = await service.user();
  const { accessToken } = await party.logIn(openBrowser(service), user);
  const { code } = await party.signIn(openBrowser(service), user);
  const grant = (await createGrantStore(database).findById(String(decodeJwt(accessToken)['gid'])))!;
  const outcome = await party.authorize(openBrowser(service));
  if (outcome.kind !== 'page') throw new Error(`no page: ${outcome.kind}`);
  const scene = { database, grant, clientId: party.client.id, code, requestId: requestIdOf(outcome.url) };
  await copyRows(scene);
  return scene;
}

async function copyRows({ database, grant, clientId, code, requestId }: Scene): Promise<void> {
  const application = (await findApplicationByName(database, clientId))!;
  const requests = createRequestStore(database, ROWS * 2);
  const request = (await requests.findOpen(requestId, NOW))!;
  const stored = (await findCode(database, code))!;
  const grants = createGrantStore(database);
  await database.transaction(UNLIMITED, async (tx) => {
    for (let count = 0; count < ROWS; count += 1) {
      const [id, other] = [newId(), newId()];
      const hash = Buffer.from(id.replaceAll('-', '').repeat(2), 'hex');
      const of = { accountId: grant.accountId, applicationId: id };
      await insertApplication(tx, { ...application, id, clientId: `c-${id}`, tenantId: `t-${count}` });
      await insertCode(database, tx, { ...stored, hash, grantId: other, ...of }, UNLIMITED);
      await grants.insert(tx, { ...grant, id, selector: newSelector(), sessionId: other, ...of }, UNLIMITED);
      await addConsent(tx, { tenantId: grant.tenantId, ...of }, ['openid'], NOW);
      const session = { tenantId: `t-${count}`, sessionId: other, accountId: other, applicationId: id };
      await addSessionApplication(database, tx, session, NOW);
    }
  });
  for (let count = 0; count < ROWS; count += 1) {
    const hash = Buffer.from(newId().replaceAll('-', '').repeat(2), 'hex');
    await requests.insert({ ...request, hash, network: `n-${count}` }, UNLIMITED);
    await createDeviceStore(database).insert({ ...DEVICE, hash, userCodeHash: hash }, UNLIMITED);
  }
  if (database.engine === 'mysql')
    await database.query(
      'ANALYZE TABLE applications, authorization_requests, authorization_codes, device_requests, grants, consents, session_applications',
    );
}
