// A credential that another process revokes during an upload or a download. How soon the stream ends:
// test/rest/auth/revocations.timed.test.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seedAccount } from '../../support/accounts.ts';
import { deploy, DIAGONAL, type Deployment } from '../../support/deployment.ts';
import { testImages } from '../../support/images.ts';
import { openDownload, openUpload } from '../../support/open-request.ts';
import { restClient } from '../../support/rest-client.ts';
import { seedSession } from '../../support/sessions.ts';
import { ENABLED, administrator, serviceAccount } from '../api-key/api-keys.ts';
import { actorOf, clientsOf, type Actor, type Clients } from '../../support/world.ts';
import { API, caller, callerWith, type Caller } from '../../support/callers.ts';
import { pathOf, prepare, stage, storedIn } from '../../support/shop/files.ts';

const SIZE = 200_000;
/** More than the buffers of both sockets hold. */
const DOWNLOAD_BYTES = 6 * 1024 * 1024;

/** Somebody, and how the credential is revoked. */
interface Revocable {
  readonly by: Caller;
  readonly revoke: () => Promise<unknown>;
}

/** Where the test runs: files go through `first`, revocations through `second`. */
interface Scene {
  readonly first: Deployment;
  readonly second: Deployment;
  readonly root: Actor;
  readonly clients: Clients;
}

type Way = (scene: Scene, tenantId: string) => Promise<Revocable>;

const ofUser =
  (revoke: (clients: Clients, userId: string, as: Actor['as']) => Promise<unknown>): Way =>
  async ({ first, clients, root }, tenantId) => {
    const by = await caller(first, { tenantId });
    return { by, revoke: () => revoke(clients, by.account.id, root.as) };
  };

async function keyHolder({ first }: Scene, tenantId: string) {
  const account = await serviceAccount(first, { tenantId });
  const issued = await (await administrator(first, { tenantId, roles: ['ADMIN'] })).issue(account);
  const { keyId, apiKey } = issued.body;
  return { by: callerWith(first.url, account, { 'x-api-key': apiKey }), keyId: keyId as string };
}

const WAYS: Readonly<Record<string, Way>> = {
  logout: async ({ first, second }, tenantId) => {
    const account = await seedAccount(first.database, { tenantId });
    const { accessToken } = await seedSession(first, account);
    const by = callerWith(first.url, account, { authorization: `Bearer ${accessToken}` });
    return { by, revoke: () => restClient(second.url).logout({ accessToken }) };
  },
  DisableUser: ofUser(({ identity }, userId, as) => identity.disableUser({ userId }, as)),
  DeleteUser: ofUser(({ identity }, userId, as) => identity.deleteUser({ userId }, as)),
  SetUserRoles: ofUser(({ identity }, userId, as) => identity.setUserRoles({ userId, roles: ['OWNER'] }, as)),
  SuspendTenant: async ({ first, clients, root }, tenantId) => {
    const by = await caller(first, { tenantId });
    return { by, revoke: () => clients.tenancy.suspendTenant({ tenantId }, root.as) };
  },
  RevokeApiKey: async (scene, tenantId) => {
    const { by, keyId } = await keyHolder(scene, tenantId);
    const { clients, root } = scene;
    const serviceAccountId = by.account.id;
    return { by, revoke: () => clients.apiKey.revokeApiKey({ serviceAccountId, keyId }, root.as) };
  },
  DisableServiceAccount: async (scene, tenantId) => {
    const { by } = await keyHolder(scene, tenantId);
    const { clients, root } = scene;
    const serviceAccountId = by.account.id;
    return { by, revoke: () => clients.clientCredentials.disableServiceAccount({ serviceAccountId }, root.as) };
  },
  DeleteServiceAccount: async (scene, tenantId) => {
    const { by } = await keyHolder(scene, tenantId);
    const { clients, root } = scene;
    const serviceAccountId = by.account.id;
    return { by, revoke: () => clients.clientCredentials.deleteServiceAccount({ serviceAccountId }, root.as) };
  },
};

const BOUNDARY = 'a-boundary';

/** A form that gives an image to a product. */
function transportOf(productId: string, image: Buffer): Buffer {
  const part = (name: string) => `--${BOUNDARY}\r\nContent-Disposition: form-data; ${name}\r\n\r\n`;
  return Buffer.concat([
    Buffer.from(`${part('name="productId"')}${productId}\r\n${part('name="file"; filename="rose.png"')}`),
    image,
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ]);
}

describe.each(DIAGONAL)('a credential that is revoked during a stream ($engine, $transport)', (how) => {
  let scene: Scene;
  let tenants = 0;

  beforeAll(async () => {
    const first = await deploy({ ...how, settings: ENABLED });
    const { databaseUrl, clock } = first;
    const second = await deploy({ ...how, clock, databaseUrl, settings: ENABLED });
    const account = await seedAccount(first.database, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
    const root = actorOf(account, await seedSession(first, account));
    scene = { first, second, root, clients: clientsOf(second) };
  });
  afterAll(async () => {
    await scene?.second.close();
    await scene?.first.close();
  });

  /** Everybody whose credential will be revoked, each in a tenant of their own. */
  const everyWay = <T>(begin: (who: Revocable) => Promise<T>) =>
    Promise.all(
      Object.entries(WAYS).map(async ([way, make]) => ({
        way,
        ...(await begin(await make(scene, `tenant-${(tenants += 1)}`))),
      })),
    );

  const uploads = async () => (await storedIn(scene.first.filesFolder)).uploads.length;

  /** A refusal without its path and its diagnostics. */
  const refusalOf = ({ status, text }: { readonly status: number; readonly text: string }) => {
    const { type, title, detail, errorCode } = JSON.parse(text) as Record<string, unknown>;
    return { status, type, title, detail, errorCode };
  };

  it('returns 401 for an upload that ends after it, and stores nothing', async () => {
    const { first } = scene;
    const open = await everyWay(async ({ by, revoke }) => {
      const file = await prepare(by, SIZE);
      const upload = openUpload('PUT', first.url + API + pathOf(file), by.headers, SIZE);
      await upload.send(Buffer.alloc(SIZE / 2));
      return { by, revoke, file, upload };
    });
    await expect.poll(uploads).toBe(open.length);
    const { objects } = await storedIn(first.filesFolder);
    for (const { way, by, revoke, file, upload } of open) {
      await revoke();
      upload.finish(Buffer.alloc(SIZE / 2));
      const response = refusalOf(await upload.response);
      expect({ way, ...response }).toEqual({ way, ...refusalOf(await by.get(pathOf(file))), status: 401 });
    }
    expect(await first.database.query('SELECT id FROM files WHERE object_key IS NOT NULL')).toEqual([]);
    await expect.poll(() => storedIn(first.filesFolder)).toEqual({ objects, uploads: [] });
  });

  it('returns 401 for a product image that ends after it', async () => {
    const { first } = scene;
    const { png } = await testImages();
    const open = await everyWay(async ({ by, revoke }) => {
      const { id } = (await by.post('/products', { sku: 'ROSE', name: 'Rose', price: 1 })).body;
      const body = transportOf(id, png);
      const headers = { ...by.headers, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
      const upload = openUpload('POST', `${first.url}${API}/products/upload-image`, headers, body.length);
      await upload.send(body.subarray(0, -40));
      return { revoke, upload, rest: body.subarray(-40) };
    });
    await expect.poll(uploads).toBe(open.length);
    for (const { way, revoke, upload, rest } of open) {
      await revoke();
      upload.finish(rest);
      expect({ way, status: (await upload.response).status }).toEqual({ way, status: 401 });
    }
    expect(await first.database.query("SELECT id FROM files WHERE owner_kind = 'product'")).toEqual([]);
    await expect.poll(() => storedIn(first.filesFolder)).toEqual({ objects: [], uploads: [] });
  });

  it('ends its open uploads and downloads', async () => {
    const { first } = scene;
    const open = await everyWay(async ({ by, revoke }) => {
      const whole = await stage(by, Buffer.alloc(DOWNLOAD_BYTES));
      const file = await prepare(by, SIZE);
      const upload = openUpload('PUT', first.url + API + pathOf(file), by.headers, SIZE);
      await upload.send(Buffer.alloc(SIZE / 2));
      const download = await openDownload(first.url + API + pathOf(whole), by.headers);
      return { revoke, upload, download };
    });
    await expect.poll(uploads).toBe(open.length);
    await Promise.all(open.map(({ revoke }) => revoke()));
    const ended = await Promise.all(
      open.map(async ({ way, upload, download }) => {
        const { status } = await upload.response;
        const { received, complete } = await download.rest();
        return { way, status, complete, partial: received < DOWNLOAD_BYTES };
      }),
    );
    expect(ended).toEqual(Object.keys(WAYS).map((way) => ({ way, status: 401, complete: false, partial: true })));
  });
});
