// The administrative operations: permissions, tenants and the order of checks.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROLES, type Role } from '../../../src/auth/access/roles/built-in-roles.ts';
import { ON_SQLITE } from '../../support/deployment.ts';
import { mailFolder } from '../../support/mails.ts';
import { PERMISSIONS } from '../../support/permissions.ts';
import { PASSKEYS, seedPasskey } from '../../support/passkeys.ts';
import { problem } from '../../support/problems.ts';
import type { RestResponse } from '../../support/rest-client.ts';
import { existingRecords, missingRecords, type Records } from '../../rpc/admin/rpcs.ts';
import { openWorld, type World } from '../../support/world.ts';
import { API, caller, callerWith, comparable, faults, type Caller } from '../../support/callers.ts';
import { OPERATIONS, pathOf, type Operation } from './operations.ts';

const ADMINISTRATORS: readonly Role[] = ['TENANT_ADMIN', 'ADMIN', 'OWNER'];
/** Its id is the secret of a browser: whoever has it can refuse the request. */
const OF_SECRET = 'POST /auth/oauth2/requests/{id}';
const NAMING_RECORDS = OPERATIONS.filter(([name, { path }]) => path !== undefined && name !== OF_SECRET);
const NAMING_TENANTS = OPERATIONS.filter(([, { tenant }]) => tenant === true);
const WITH_BODY = OPERATIONS.filter(([, { body }]) => body !== undefined);
const PROFILES = ['A', 'B'];
const MAIL = mailFolder().settings;
const JSON_BODY = { 'content-type': 'application/json' };

function isAllowed(role: Role, { audience, permissions }: Operation): boolean {
  if (audience === 'account' || role === 'SUPER_ADMIN') return true;
  if (role === 'AUDITOR' || role === 'HELP_DESK') {
    const held = PERMISSIONS[role].split(' ');
    return permissions.some((permission) => held.includes(permission));
  }
  return audience === 'administrator' && ADMINISTRATORS.includes(role);
}

function send(by: Caller, operation: Operation, records: Records, body?: object): Promise<RestResponse> {
  const given = body ?? operation.body?.();
  const headers = given && JSON_BODY;
  const text = given === undefined ? undefined : JSON.stringify(given);
  return by.send(operation.method, pathOf(operation, records), text, headers);
}

describe.each(ON_SQLITE)('$engine over $transport', (kind) => {
  let world: World;
  let root: Caller;
  let admin: Caller;
  let foreign: Records;
  /** For requests that change nothing. */
  let own: Records;
  /** Of a signing key. The examples name none, so that nothing revokes it. */
  let kid: string;

  beforeAll(async () => {
    world = await openWorld({ ...kind, settings: { ...PASSKEYS, ...MAIL } });
    root = await caller(world.deployment, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
    admin = await caller(world.deployment, { roles: ['ADMIN'] });
    kid = (await root.get('/signing-keys')).body[0].kid;
    foreign = await existingRecords(world, 'globex');
    own = await existingRecords(world, 'acme');
  });
  afterAll(() => world?.close());

  const callerOf = (role: Role) =>
    caller(world.deployment, { roles: [role], ...(role === 'SUPER_ADMIN' && { tenantId: undefined }) });

  it.each(ROLES)('%s can call the operations of its role, and no others', async (role) => {
    const missing = missingRecords();
    for (const [name, operation] of OPERATIONS) {
      const response = await send(await callerOf(role), operation, missing, {
        ...operation.body?.(),
        // No role may do anything here: a body that nothing accepts keeps the records as they are.
        ...(operation.body && { unknownToEverybody: 1 }),
      });
      const outcome = [name, response.status === 403 ? response.body.errorCode : 'reached'];
      expect(outcome).toEqual([name, isAllowed(role, operation) ? 'reached' : 'permission-denied']);
    }
  });

  it.each(OPERATIONS)('%s: returns 401 without a credential', async (_name, operation) => {
    const nobody = callerWith(world.deployment.url, admin.account, {});
    const response = await send(nobody, operation, foreign, { unknownToEverybody: 1 });
    expect(response).toEqual(problem(401, 'unauthorized', API + pathOf(operation, foreign)));
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
  });

  it.each(NAMING_RECORDS)(
    "%s: returns the same 404 for another tenant's record and a missing one",
    async (_name, operation) => {
      // Tenants are for SUPER_ADMIN, who reaches all of them.
      const by = operation.audience === 'super-admin' ? root : admin;
      const missing = await send(by, operation, missingRecords());
      expect(missing.status).toBe(404);
      const broken = await send(by, operation, missingRecords(), { unknownToEverybody: 1 });
      expect(comparable(broken)).toEqual(comparable(missing));
      const overlong = await send(by, operation, overlongNames(foreign));
      expect(comparable(overlong)).toEqual(comparable(missing));
      if (operation.audience === 'super-admin') return;
      expect(comparable(await send(by, operation, foreign))).toEqual(comparable(missing));
      expect(comparable(await send(by, operation, foreign, { unknownToEverybody: 1 }))).toEqual(comparable(missing));
    },
  );

  it.each(NAMING_TENANTS)(
    "%s: accepts the caller's tenantId, and returns 403 for another one",
    async (name, operation) => {
      const callFor = (tenantId: string) =>
        operation.method === 'GET'
          ? admin.get(`${operation.template}?tenantId=${tenantId}`)
          : admin.post(operation.template, { ...operation.body!(), tenantId });
      expect([name, (await callFor('acme')).status]).toEqual([name, operation.status]);
      for (const tenantId of ['globex', 'missing']) {
        expect(await callFor(tenantId)).toEqual(problem(403, 'tenant-mismatch', API + operation.template));
      }
      expect((await callFor('No%20Slug')).status).toBe(400);
    },
  );

  it.each(WITH_BODY)(
    '%s: returns 400 for an unknown member, and for a body that is not a JSON object',
    async (_name, operation) => {
      const by = operation.audience === 'super-admin' ? root : admin;
      const { id: passkey } = await seedPasskey(world.deployment.database, by.account);
      const records = { ...own, passkey };
      const path = pathOf(operation, records).replace('/isolation/', `/${kid}/`);
      const unknown = await by.send(
        operation.method,
        path,
        JSON.stringify({ ...operation.body!(), id: 'x' }),
        JSON_BODY,
      );
      expect(unknown).toEqual(problem(400, 'validation-error', API + path));
      expect(faults(unknown)).toContain('id');
      for (const text of ['{"a":', '[]', 'null', '"text"', '1']) {
        const response = await by.send(operation.method, path, text, JSON_BODY);
        expect([text, response.status]).toEqual([text, 400]);
      }
    },
  );

  /** Single records, whose requests have no parameters. */
  const isRecord = (template: string) => /(?:\}|\/policy|\/factors|\/permissions|^\/account)$/.test(template);

  it.each(OPERATIONS.filter(([, { method, template }]) => method === 'GET' && !isRecord(template)))(
    '%s: returns 400 for an unknown parameter',
    async (_name, operation) => {
      const response = await root.get(`${pathOf(operation, own)}?unknown=1`);
      expect(response).toEqual(problem(400, 'validation-error', API + pathOf(operation, own)));
    },
  );
});

describe.each(PROFILES)('under Profile %s', (profile) => {
  let world: World;
  let root: Caller;

  beforeAll(async () => {
    const settings = { ...MAIL, 'app.security.auth-profile': profile };
    world = await openWorld({ engine: 'sqlite', transport: 'local', settings });
    root = await caller(world.deployment, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
  });
  afterAll(() => world?.close());

  it.each(OPERATIONS)('%s: returns errors as problem documents', async (_name, operation) => {
    const missing = missingRecords();
    const path = pathOf(operation, missing);
    const nobody = callerWith(world.deployment.url, root.account, {});
    expect(await send(nobody, operation, missing)).toEqual(problem(401, 'unauthorized', API + path));
    const wrong = await root.send('OPTIONS', path, undefined);
    expect(wrong.headers.get('allow')).toContain(operation.method);
    const unknown = await root.get(`${path}/unknown/path`);
    expect(unknown).toEqual(problem(404, 'not-found', `${API}${path}/unknown/path`));
    if (operation.path) expect(await send(root, operation, missing)).toEqual(problem(404, 'not-found', API + path));
  });
});

/** Texts that are too long to name a record. */
function overlongNames(records: Records): Records {
  const texts = Object.fromEntries(Object.keys(records).map((kind) => [kind, 'x'.repeat(300)]));
  return { ...texts, file: records.file } as unknown as Records;
}
