// Every statement on a table with tenants contains the tenant. The test reads the executed statements of every operation, every
// kind of credential and the jobs.
import { createHash, randomBytes } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { EmailServiceService } from '../../proto/gen/authservice/identity/v1/email_service.ts';
import { InvitationServiceService } from '../../proto/gen/authservice/identity/v1/invitation_service.ts';
import { RecoveryServiceService } from '../../proto/gen/authservice/identity/v1/recovery_service.ts';
import { RefreshTokenTransport } from '../../proto/gen/authservice/session/v1/session_service.ts';
import { SecondFactorPolicy } from '../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import type { Account } from '../../src/auth/access/account.ts';
import { projectRpcs } from '../../cli/isolation/rpcs.ts';
import { checkIsolation } from '../../cli/isolation/check-isolation.ts';
import { partyOf } from '../../cli/isolation/party.ts';
import { apiRootOf, type OpenApi } from '../../cli/isolation/routes.ts';
import { fileCleanupTargets } from '../../src/business/files/cleanup.ts';
import { ORDER_IDEMPOTENCY_KEYS_CLEANUP } from '../../src/business/orders/idempotency-key-store.ts';
import { applicationFields } from '../../cli/isolation/examples/applications.ts';
import { ApplicationType } from '../../proto/gen/authservice/oauth/v1/application_service.ts';
import { AuthorizationDecision } from '../../proto/gen/authservice/oauth/v1/authorization_service.ts';
import { idToBytes } from '../../src/platform/db/ids.ts';
import { createObjectStore } from '../../src/platform/files/create-object-store.ts';
import { createFollowedRecords } from '../../src/auth/audit/export/follow-records.ts';
import { readSealedRecords, selectSealedAfter } from '../../src/auth/audit/seals/sealed-record-store.ts';
import { newId } from '../../src/platform/db/ids.ts';
import { verifyTrail } from '../../src/auth/audit/seals/verify-trail.ts';
import { pino } from 'pino';
import { createGrantCount } from '../../src/auth/oauth/grants/count-grants.ts';
import { aggregateStatistics } from '../../src/auth/audit/statistics/aggregate-statistics.ts';
import { createForgetConsents } from '../../src/auth/oauth/consent/forget-consents.ts';
import { cleanup } from '../../src/platform/jobs/cleanup.ts';
import { SESSIONS_CLEANUP } from '../../src/auth/session/session-store.ts';
import { mailFolder } from '../support/mails.ts';
import { openWorld, type World } from '../support/world.ts';
import { codeOf, CREDENTIALS, seedTotp } from '../support/factors.ts';
import { NO_POLICY } from '../rpc/admin/rpcs.ts';
import { line, openShop } from '../support/shop/core-shop.ts';
import { HAND_OUT, USE, type CredentialCase } from '../rpc/explain/scene.ts';
import { restClient } from '../support/rest-client.ts';
import { sealAll } from '../support/seal-all.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Why statements may read or write rows of all tenants, as `acrossTenants` writes it into them. Each must still occur. */
const REASONS = [
  'a SUPER_ADMIN administers all',
  'a call begins with an API key',
  'a client id belongs to one application of all',
  'a client id belongs to one service account of all',
  'a code is a credential',
  'a grant names its application',
  'a login continues with a challenge',
  'a login domain belongs to one tenant of all',
  'a refresh begins with a credential',
  'a refresh token is a credential',
  'a signed token names its grant',
  'a signed token names its session',
  'a token of a mail belongs to one account of all',
  'a username belongs to one account of all',
  'an actor can be an account of the service',
  'an application can serve all tenants',
  'consents to an application that no longer exists',
  'distinguishes a token of another tenant from one of no account',
  'the cleanup serves all',
  'the codes of a device are secrets',
  'the definitions of the tenants whose accounts were read',
  'the deliveries of all tenants are sent',
  'the ends of all sessions are sent',
  'the grants of all tenants are counted',
  'the id of a request is a secret',
  'the job that disables accounts at their time',
  'the mails of all tenants are sent',
  'the records of all tenants are followed',
  'the records of all tenants are sealed',
  'the records of all tenants are sent',
  'the roles for every tenant',
  'the sessions of all tenants are limited',
  'the statistics of all tenants',
  'the trail of all tenants is verified',
  'whether any tenant inherits a role for every tenant',
  'whether any tenant uses a name',
];
/** The reasons of statements that no call executes: a restore is local. */
const LOCAL_REASONS = ['a restore ends all sessions'];
/** The stores that no call uses yet, and their reasons. */
const UNUSED_REASONS = ['a login begins with a passkey'];
const ACROSS = /\/\* across tenants: (.*?) \*\//g;

/** Stores whose writes share a commit, which has no caller on its stack: a statement of each. */
const SHARING_COMMITS: Readonly<Record<string, RegExp>> = {
  'src/auth/session/rotation/rotation-store.ts': /^UPDATE session_families SET generation = \?/,
};

const STORE = /src\/[\w/-]+(?:-store|account-lock|expired-rows)\.ts/g;

let world: World;
/** Texts, and the stores that executed them. */
const executed = new Map<string, Set<string>>();
let tables: readonly string[];

beforeAll(async () => {
  record();
  const settings = { 'app.security.api-key.enabled': 'true', ...mailFolder().settings };
  world = await openWorld({ engine: 'sqlite', transport: 'local', settings });
  const { deployment } = world;
  tables = await tenantTables();
  await callEverything();
  await useEveryCredential();
  await recover();
  await confirmByMail();
  await useSecondFactors();
  await useSharedRoles();
  await useGrant();
  const shop = await openShop(deployment);
  await shop.place({ items: [line(await shop.product({ stock: 9 }), 1)] }, { idempotencyKey: 'one' });
  await runJobs();
}, 180_000);
afterAll(async () => {
  vi.restoreAllMocks();
  await world?.close();
});

/** Notes every statement that is prepared or sent to a thread, unless a test itself asks for it. */
function record(): void {
  const { prepare } = DatabaseSync.prototype;
  vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (this: DatabaseSync, sql: string) {
    note(sql);
    return prepare.call(this, sql);
  });
  const { postMessage } = Worker.prototype;
  vi.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker, message: unknown) {
    const { sql } = message as { readonly sql?: string };
    if (sql !== undefined) note(sql);
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- for windows, not for threads
    postMessage.call(this, message);
  });
}

function note(sql: string): void {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 60;
  const frames = (new Error('callers').stack ?? '').split('\n').slice(3);
  Error.stackTraceLimit = stackTraceLimit;
  const caller = frames.find((frame) => !frame.includes('/src/platform/db/') && /\/(?:src|test)\//.test(frame));
  if (caller?.includes('/test/')) return;
  const stores = executed.get(sql) ?? new Set();
  for (const [store] of frames.join('\n').matchAll(STORE)) stores.add(store);
  executed.set(sql, stores);
}

async function tenantTables(): Promise<string[]> {
  const { database } = world.deployment;
  const rows = await database.query<{ name: string; sql: string }>(
    "SELECT name, sql FROM sqlite_master WHERE type = 'table'",
  );
  return rows.filter(({ sql }) => /\btenant_id\b/.test(sql)).map(({ name }) => name);
}

async function callEverything(): Promise<void> {
  const { url, client: connect } = world.deployment;
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApi;
  const target = { url, connect, apiRoot: apiRootOf(document), ignoredHeaders: [] };
  const party = ({ session }: World['admin']) => partyOf(target, session.accessToken);
  const [own, other] = [await party(world.admin), await party(world.other)];
  const { missing } = await checkIsolation({ own, other, document, rpcs: projectRpcs() });
  expect(missing).toEqual([]);
}

async function recover(): Promise<void> {
  const { requestRecovery, confirmRecovery } = world.deployment.client(RecoveryServiceService);
  const { username } = await world.seed({ email: 'ann@mail.test' });
  await requestRecovery({ username }, {});
  const invalid = { token: 'x'.repeat(43), newPassword: 'a new and long password' };
  await expect(confirmRecovery(invalid, {})).rejects.toThrow();
}

async function useEveryCredential(): Promise<void> {
  for (const kind of Object.keys(HAND_OUT) as CredentialCase[]) {
    const { value, secret } = await HAND_OUT[kind](world, {});
    expect(await USE[kind](world, value, secret)).toBe('OK');
    for (const { as } of [world.root, world.admin])
      await world.clients.identity.explainCredential({ credential: { $case: kind, value } }, as);
  }
  const { account, session } = await world.actor();
  const rest = restClient(world.deployment.url);
  await world.clients.identity.disableUser({ userId: account.id }, world.root.as);
  await world.clients.identity.deleteUser({ userId: account.id }, world.root.as);
  expect((await rest.me(session.accessToken)).status).toBe(401);
  const ended = (await world.actor()).session;
  await rest.logout(ended);
  expect((await rest.refresh(ended.cookie)).status).toBe(401);
  await world.deployment.core.flush();
}

/** Requests and confirmations of an e-mail address and of an invitation, whose tokens the test stores itself. */
async function confirmByMail(): Promise<void> {
  const { client, database } = world.deployment;
  const { requestEmailChange, confirmEmail, stopEmailChange } = client(EmailServiceService);
  const { inviteUser, createInvitationLink, confirmInvitation } = client(InvitationServiceService);
  const { account, as } = await world.actor({ email: 'bob@mail.test', emailVerifiedAt: 1 });
  const invited = await world.seed({ email: 'eve@mail.test', hasPassword: false });
  await requestEmailChange({ email: 'bob@new.test' }, as);
  await createInvitationLink({ userId: invited.id }, world.admin.as);
  await inviteUser({ userId: invited.id }, world.admin.as);
  const token = 'A'.repeat(43);
  const useToken = ({ id }: { readonly id: string }) =>
    database.execute('UPDATE mail_tokens SET token_hash = ? WHERE tenant_id = ? AND account_id = ?', [
      createHash('sha256').update(token).digest(),
      Buffer.from('acme'),
      idToBytes(id),
    ]);
  await database.execute("DELETE FROM mail_tokens WHERE tenant_id = ? AND purpose = 'email'", [Buffer.from('acme')]);
  await useToken(account);
  await stopEmailChange({ token }, {});
  await requestEmailChange({ email: 'bob@new.test' }, as);
  await database.execute("DELETE FROM mail_tokens WHERE tenant_id = ? AND purpose = 'email-stop'", [
    Buffer.from('acme'),
  ]);
  await useToken(account);
  await confirmEmail({ token }, {});
  await useToken(invited);
  await confirmInvitation({ token, password: 'a long new password' }, {});
}

/** A wrong code, the last recovery code, and a TOTP that a login creates. */
async function useSecondFactors(): Promise<void> {
  const { deployment, root, clients } = world;
  const rest = restClient(deployment.url);
  const complete = (body: object) => rest.postJson('/api/v1/auth/second-factor', body);
  const challengeOf = async (account: Account) => (await rest.login(CREDENTIALS(account))).body.challenge;
  const { account, recoveryCodes } = await seedTotp(deployment);
  await complete({ challenge: await challengeOf(account), totp: '000000' });
  for (const recoveryCode of recoveryCodes)
    expect((await complete({ challenge: await challengeOf(account), recoveryCode })).status).toBe(200);
  const policy = { ...NO_POLICY, secondFactor: SecondFactorPolicy.SECOND_FACTOR_POLICY_REQUIRED };
  const other = await world.seed({ tenantId: 'strict' });
  await clients.tenancy.updateTenantPolicy({ tenantId: 'strict', policy, updateMask: ['second_factor'] }, root.as);
  const challenge = await challengeOf(other);
  const started = await rest.postJson('/api/v1/auth/second-factor/enrolment', { challenge, method: 'totp' });
  expect((await complete({ challenge, totp: codeOf(started.body.secret, deployment.clock.now()) })).status).toBe(200);
}

/** Only a SUPER_ADMIN changes roles for every tenant, and finds the tenants of an account. */
async function useSharedRoles(): Promise<void> {
  const { role, identity } = world.clients;
  const name = 'SUPPORT';
  const { as } = world.root;
  await role.createRole({ name, permissions: ['tickets:read'], inherits: [] }, as);
  const fields = { permissions: [], inherits: ['SALES'] };
  await role.updateRole({ name, role: fields, updateMask: ['permissions', 'inherits'] }, as);
  await role.listRoles({}, as);
  await identity.listUsers({ role: name }, as);
  await role.deleteRole({ name }, as);
  await world.clients.audit.listAuditRecords({ events: [], accountId: world.admin.account.id }, as);
}

/** A user logs in to an application, which then uses its tokens. The feed shows the grants of the deleted application. */
async function useGrant(): Promise<void> {
  const { application, authorization, clientCredentials } = world.clients;
  const { as } = world.admin;
  const fields = { ...applicationFields('Application'), resources: ['reports'] };
  const created = await application.createApplication(
    { type: ApplicationType.APPLICATION_TYPE_WEB, application: fields },
    as,
  );
  const client = { clientId: created.application!.clientId, clientSecret: created.clientSecret! };
  const codeVerifier = 'v'.repeat(43);
  const redirectUri = fields.redirectUris[0]!;
  const parameters = new URLSearchParams({
    client_id: client.clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid offline_access',
    code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString();
  const { loginRequest } = await authorization.authorize({ parameters, refreshTokens: [] }, {});
  const decision = AuthorizationDecision.AUTHORIZATION_DECISION_ALLOW;
  const { redirectTo } = await authorization.continueAuthorization({ requestId: loginRequest!, decision }, as);
  const code = new URL(redirectTo!).searchParams.get('code')!;
  const grantType = 'authorization_code';
  const tokens = await authorization.exchangeToken({ grantType, code, codeVerifier, redirectUri, ...client }, {});
  const { refreshToken, accessToken, idToken } = tokens;
  await authorization.exchangeToken({ grantType: 'refresh_token', refreshToken, ...client }, {});
  await authorization.getUserInfo({ accessTokens: [accessToken] }, {});
  await clientCredentials.introspectToken({ token: accessToken, ...client }, {});
  const hint = new URLSearchParams({ id_token_hint: idToken! }).toString();
  const refreshTokenTransport = RefreshTokenTransport.REFRESH_TOKEN_TRANSPORT_COOKIE;
  await authorization.endSession({ parameters: hint, refreshTokens: [], refreshTokenTransport }, {});
  await application.deleteApplication({ applicationId: created.application!.id }, as);
  for await (const { snapshotEnd } of world.clients.session.streamRevocations({}, world.root.as))
    if (snapshotEnd) break;
}

async function runJobs(): Promise<void> {
  const { database, clock, filesFolder } = world.deployment;
  const objects = await createObjectStore(`disk:${filesFolder}`, 'my-shop');
  const files = fileCleanupTargets({ database, objects, clock: clock.now });
  const targets = [SESSIONS_CLEANUP, ORDER_IDEMPOTENCY_KEYS_CLEANUP, ...files];
  await cleanup({ database, clock: clock.now, targets });
  await aggregateStatistics({ database, clock: clock.now });
  await createForgetConsents({ database, clock: clock.now }).run();
  await createGrantCount({ database, clock: clock.now, log: pino({ level: 'silent' }) }).job.run();
  await sealAll(world.deployment);
  const filter = { events: ['login.failed'], accountId: newId(), actorId: newId(), from: 1, until: 2 };
  for (const scope of [{ everyTenant: true }, { everyTenant: false, tenantId: 'acme' }] as const)
    await readSealedRecords(database, { ...filter, scope }, { after: 0, size: 10 });
  await selectSealedAfter(database, 0);
  const followed = createFollowedRecords(database);
  await followed.find(await followed.after(database, 0, 1));
  await followed.seals(0, 1);
  await verifyTrail({ database, key: randomBytes(32), onProblem: () => undefined });
  objects.close();
}

/** A statement in one spelling. */
function plain(sql: string): string {
  return (
    sql
      .replaceAll(/\/\*(?! across tenants).*?\*\//gs, '')
      .replaceAll(/[`"]/g, '')
      .replaceAll(/\s+/g, ' ')
      // Deletes the rows that the inner condition selects.
      .replace(/^DELETE FROM (\w+) WHERE rowid IN \(SELECT rowid FROM \1 /, 'DELETE FROM $1 ')
      .trim()
  );
}

/** How often a statement reads or writes tables of tenants, and how often it names the tenant. */
function countTenants(statement: string): { readonly rows: number; readonly tenants: number } {
  const count = (pattern: string) => statement.match(new RegExp(pattern, 'gi'))?.length ?? 0;
  return {
    rows: count(`\\b(?:from|join|update|into) (?:${tables.join('|')})\\b`),
    tenants:
      count('\\btenant_id (?:= (?:\\?|\\w+\\.(?:tenant_id|application_tenant))|IN \\()') +
      count('\\(\\w*\\.?tenant_id(?:, [\\w.]+)+\\) IN \\(') +
      count('(?:insert(?: or ignore)?|replace) into \\w+ \\([^)]*\\btenant_id\\b') +
      count('\\b1 = 1 /\\* across tenants: '),
  };
}

describe('statements on tables of tenants', () => {
  it('contain the tenant for each table, or the reason why they are across tenants', () => {
    const unscoped = [...executed.keys()].map(plain).filter((statement) => {
      const { rows, tenants } = countTenants(statement);
      return tenants < rows;
    });
    expect(executed.size).toBeGreaterThan(100);
    expect(unscoped).toEqual([]);
  });

  it('give the listed reasons, each for some statement', () => {
    const given = [...executed.keys()].flatMap((sql) => [...sql.matchAll(ACROSS)].map(([, reason]) => reason!));
    expect([...new Set(given)].toSorted()).toEqual(REASONS);
  });

  it('are across tenants for no other reason, also if no test executes them', () => {
    const sources = globSync('src/**/*.ts', { cwd: ROOT }).map((path) => readFileSync(join(ROOT, path), 'utf8'));
    const written = sources.flatMap((text) =>
      [...text.matchAll(/acrossTenants\('([^']+)'\)/g)].map(([, reason]) => reason!),
    );
    expect([...new Set(written)].toSorted()).toEqual([...REASONS, ...LOCAL_REASONS, ...UNUSED_REASONS].toSorted());
    expect(sources.filter((text) => text.includes('1 = 1')).length).toBe(1);
  });

  it('are detected if they do not contain the tenant', () => {
    for (const statement of [
      'SELECT name FROM products WHERE id = ?',
      'SELECT p.name FROM products p JOIN orders o ON o.id = ? WHERE p.tenant_id = ?',
      'SELECT tenant_id FROM files WHERE id = ?',
      'INSERT INTO files (id) VALUES (?)',
      'INSERT OR IGNORE INTO files (id) VALUES (?)',
      'UPDATE customers SET tenant_id = ? WHERE id = (SELECT customer_id FROM orders)',
      'SELECT name FROM products WHERE 1 = 1 AND id = ?',
    ]) {
      const { rows, tenants } = countTenants(statement);
      expect([statement, tenants < rows]).toEqual([statement, true]);
    }
  });

  it('were executed by every store with such statements', () => {
    const executing = new Set([...executed.values()].flatMap((stores) => [...stores]));
    const named = new RegExp(`\\b(?:from|join|update|into|table:|knex\\() ?['"(]?(?:${tables.join('|')})\\b`, 'i');
    const stores = globSync('src/**/*-store.ts', { cwd: ROOT }).filter((path) =>
      named.test(readFileSync(join(ROOT, path), 'utf8')),
    );
    expect(stores.length).toBeGreaterThan(20);
    const statements = [...executed.keys()].map(plain);
    const isExecuted = (path: string) =>
      executing.has(path) || statements.some((statement) => SHARING_COMMITS[path]?.test(statement));
    expect(stores.filter((path) => !isExecuted(path))).toEqual([]);
  });
});
