// /webhooks: responses by status, and a record on its way from its commit to a receiver.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AUDIT_EVENTS } from '../../../src/auth/audit/trail/audit-events.ts';
import { newId } from '../../../src/platform/db/ids.ts';
import { API, caller, etagOf, faults, type Caller } from '../../support/callers.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { eventually } from '../../support/eventually.ts';
import { problem } from '../../support/problems.ts';
import { signedBy, startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';
import { ID, openAdministration, pagingOf, TIME } from './administration.ts';

const URL = 'https://192.0.2.1/hook';
const EVENTS = ['role.created'];
const PATH = expect.stringMatching(/^\/api\/v1\/webhooks/);
const SECRET = expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/);

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const acme = openAdministration({ ...kind, settings: { 'app.webhooks.allowed-networks': '127.0.0.1' } });
  let globex: Caller;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    globex = await caller(acme.world.deployment, { tenantId: 'globex', roles: ['ADMIN'] });
    receiver = await startWebhookReceiver();
  });
  afterAll(() => receiver?.close());
  afterEach(async () => {
    for (const { id } of (await acme.root.get('/webhooks?perPage=100')).body) await acme.root.delete(`/webhooks/${id}`);
  });
  const create = async (fields: object = {}, by: Caller = acme.admin) => {
    const response = await by.post('/webhooks', { url: URL, events: EVENTS, ...fields });
    expect(response).toMatchObject({ status: 201 });
    return response.body as { webhook: { id: string }; secret: string };
  };

  it('POST: returns 201 with the webhook and its secret, which is shown once', async () => {
    const created = await acme.admin.post('/webhooks', { url: URL, events: EVENTS });
    const webhook = { id: ID, tenantId: 'acme', url: URL, events: EVENTS, disabled: false, waiting: 0 };
    expect(created.body).toEqual({ webhook: { ...webhook, createdAt: TIME, updatedAt: TIME }, secret: SECRET });
    const { id } = created.body.webhook;
    expect(created.headers.get('location')).toBe(`${API}/webhooks/${id}`);
    expect(created.headers.get('cache-control')).toBe('no-store');
    const shown = await acme.admin.get(`/webhooks/${id}`);
    expect([shown.status, shown.body, etagOf(shown)]).toEqual([200, created.body.webhook, '"1"']);
    const stored = await acme.world.deployment.database.query('SELECT * FROM webhooks');
    expect(JSON.stringify(stored.map((row) => Object.values(row).map(String)))).not.toContain(created.body.secret);
  });

  it.each([
    ['an unknown event', { events: ['login.won'] }, ['events.0']],
    ['a test as event', { events: ['webhook.test'] }, ['events.0']],
    ['no event', { events: [] }, ['events']],
    ['the same event twice', { events: ['role.created', 'role.created'] }, ['events']],
    ['credentials in the URL', { url: 'https://user:secret@example.com/' }, ['url']],
    ['a fragment in the URL', { url: 'https://example.com/#a' }, ['url']],
    ['another scheme', { url: 'file:///etc/passwd' }, ['url']],
    ['no URL', { url: 'example' }, ['url']],
    ['a URL of 2,001 characters', { url: `https://example.com/${'a'.repeat(1_981)}` }, ['url']],
    ['a URL that is too long once it is converted', { url: `https://example.com/${'ü'.repeat(400)}` }, ['url']],
    ['a Unicode host that is not a name', { url: 'https://a\u2100b.example/' }, ['url']],
    ['credentials in a Unicode URL', { url: 'https://ü@example.com/' }, ['url']],
    ['a fragment in a Unicode URL', { url: 'https://example.com/ü#a' }, ['url']],
    ['a blank in a Unicode URL', { url: 'https://example.com/ü\u3000a' }, ['url']],
    ['an unknown tenant', { tenantId: 'missing' }, ['tenantId'], 'root'],
  ] as const)('POST: returns 400 for %s', async (_, fields, names, by: 'admin' | 'root' = 'admin') => {
    const refused = await acme[by].post('/webhooks', { url: URL, events: EVENTS, ...fields });
    expect(refused).toMatchObject({ status: 400 });
    expect(faults(refused)).toEqual(names);
  });

  it('POST and PATCH: converts a URL with other characters than ASCII, and shows it as it is stored', async () => {
    const { webhook } = await create({ url: 'https://münchen.example:8443/Grüße?to=é&a=%41' });
    const path = `/webhooks/${webhook.id}`;
    const converted = 'https://xn--mnchen-3ya.example:8443/Gr%C3%BC%C3%9Fe?to=%C3%A9&a=%41';
    expect(webhook).toMatchObject({ url: converted });
    expect((await acme.admin.get(path)).body.url).toBe(converted);
    const changed = await acme.admin.patch(path, { url: 'https://例え.テスト/ü' });
    expect([changed.status, changed.body.url]).toEqual([200, 'https://xn--r8jz45g.xn--zckzah/%C3%BC']);
    const { body } = await acme.admin.get('/audit-records?perPage=1');
    expect(body[0].details).toMatchObject({ host: 'xn--r8jz45g.xn--zckzah' });
    // ASCII is kept as given.
    expect((await acme.admin.patch(path, { url: 'https://Example.com' })).body.url).toBe('https://Example.com');
  });

  it('accepts the events of all audit records', async () => {
    const events = [...AUDIT_EVENTS, 'refusals.counted', 'audit.sealed'];
    const { webhook } = await create({ events });
    expect(webhook).toMatchObject({ events });
  });

  it('shows and changes only webhooks of the own tenant', async () => {
    const { webhook: own } = await create();
    const { webhook: other } = await create({}, globex);
    const { webhook: all } = await create({}, acme.root);
    expect(all).not.toHaveProperty('tenantId');
    const listed = await acme.admin.get('/webhooks');
    expect([listed.body.map(({ id }: { id: string }) => id), pagingOf(listed)]).toEqual([[own.id], [1, 1, 20]]);
    const everyId = (await acme.root.get('/webhooks')).body.map(({ id }: { id: string }) => id);
    expect(everyId).toEqual([all.id, other.id, own.id]);
    expect((await acme.root.get('/webhooks?tenantId=globex')).body).toEqual([other]);
    for (const { id } of [other, all]) {
      expect(await acme.admin.get(`/webhooks/${id}`)).toEqual(problem(404, 'not-found', PATH));
      expect(await acme.admin.patch(`/webhooks/${id}`, { disabled: true })).toEqual(problem(404, 'not-found', PATH));
      expect(await acme.admin.delete(`/webhooks/${id}`)).toEqual(problem(404, 'not-found', PATH));
    }
    expect(await acme.admin.post('/webhooks', { url: URL, events: EVENTS, tenantId: 'globex' })).toEqual(
      problem(403, 'tenant-mismatch', PATH),
    );
  });

  it('lists the webhooks of a state, or with a text in their URL', async () => {
    const { webhook: first } = await create({ url: 'https://192.0.2.1/First' });
    const { webhook: other } = await create({ url: 'https://192.0.2.2/other' });
    await acme.admin.patch(`/webhooks/${other.id}`, { disabled: true });
    const idsOf = async (query: string) => {
      const { body } = await acme.admin.get(`/webhooks?${query}`);
      return (body as { id: string }[]).map(({ id }) => id);
    };
    expect(await idsOf('query=FIRST')).toEqual([first.id]);
    expect(await idsOf('query=192.0.2.&disabled=false')).toEqual([first.id]);
    expect(await idsOf('disabled=true')).toEqual([other.id]);
    expect(await idsOf('query=_')).toEqual([]);
  });

  it('PATCH: changes the fields, with If-Match', async () => {
    const { webhook } = await create();
    const path = `/webhooks/${webhook.id}`;
    const changed = await acme.admin.patch(path, { events: ['login.failed'], disabled: true }, { 'if-match': '"1"' });
    expect([changed.status, etagOf(changed)]).toEqual([200, '"2"']);
    expect(changed.body).toMatchObject({ events: ['login.failed'], disabled: true, disabledReason: 'ADMINISTRATOR' });
    const late = await acme.admin.patch(path, { disabled: false }, { 'if-match': '"1"' });
    expect(late).toEqual(problem(412, 'precondition-failed', PATH));
    const enabled = await acme.admin.patch(path, { disabled: false });
    expect(enabled.body).toMatchObject({ disabled: false });
    expect(enabled.body).not.toHaveProperty('disabledReason');
    expect((await acme.admin.patch(path, { url: 'ftp://a' })).status).toBe(400);
  });

  it('needs READ_AUDIT beside MANAGE_WEBHOOKS', async () => {
    const name = `WEBHOOKS_${newId().replaceAll('-', '').toUpperCase()}`;
    await acme.admin.post('/roles', { name, permissions: ['MANAGE_WEBHOOKS'] });
    const manager = await caller(acme.world.deployment, { roles: [name] });
    expect((await manager.get('/webhooks')).status).toBe(403);
    expect((await manager.post('/webhooks', { url: URL, events: EVENTS })).status).toBe(403);
    expect((await manager.get(`/webhooks/${newId()}`)).status).toBe(403);
  });

  it('sends records, signed by each valid secret, as GET /audit-records shows them', async () => {
    const { webhook, secret } = await create({ url: receiver.url });
    const rotated = await acme.admin.post(`/webhooks/${webhook.id}/rotate-secret`);
    expect([rotated.status, rotated.body, rotated.headers.get('cache-control')]).toEqual([
      200,
      { secret: SECRET },
      'no-store',
    ]);
    const name = `SENT_${newId().replaceAll('-', '').toUpperCase()}`;
    await acme.admin.post('/roles', { name });
    // A record from just before the creation of the webhook can come first.
    const received = await eventually(() => {
      const found = receiver.received.find(({ body }) => JSON.stringify(body).includes(name));
      expect(found).toBeDefined();
      return found;
    });
    expect([signedBy(received!, rotated.body.secret), signedBy(received!, secret)]).toEqual([
      [true, false],
      [false, true],
    ]);
    const [record] = (await acme.admin.get('/audit-records?events=role.created&perPage=1')).body;
    expect(received!.body).toEqual({ type: 'role.created', timestamp: record.at, data: record });
    const { body } = await acme.admin.get(`/webhooks/${webhook.id}/deliveries?perPage=1`);
    expect(body).toMatchObject([{ event: 'role.created', recordId: record.id, status: 'DELIVERED', attempts: 1 }]);
  });

  it('signs with up to three secrets', async () => {
    const { webhook, secret } = await create({ url: receiver.url });
    const secrets = [secret];
    for (let count = 0; count < 3; count += 1)
      secrets.unshift((await acme.admin.post(`/webhooks/${webhook.id}/rotate-secret`)).body.secret);
    const before = receiver.received.length;
    await acme.admin.post(`/webhooks/${webhook.id}/test`);
    await eventually(() => expect(receiver.received.length).toBeGreaterThan(before));
    const received = receiver.received.at(-1)!;
    expect(secrets.map((one) => signedBy(received, one))).toEqual([
      [true, false, false],
      [false, true, false],
      [false, false, true],
      [false, false, false],
    ]);
  });

  it('sends tests at once, and shows why a delivery failed', async () => {
    const { webhook } = await create();
    const tested = await acme.admin.post(`/webhooks/${webhook.id}/test`);
    expect([tested.status, tested.body]).toMatchObject([
      200,
      { event: 'webhook.test', status: 'PENDING', attempts: 0 },
    ]);
    const failed = await eventually(async () => {
      const [delivery] = (await acme.admin.get(`/webhooks/${webhook.id}/deliveries`)).body;
      expect(delivery).toMatchObject({ status: 'PENDING', attempts: 1, nextAttemptAt: TIME });
      return delivery;
    });
    expect(failed.error).toBe(
      'no address of the host is global, and app.webhooks.allowed-networks does not contain one',
    );
    await acme.admin.patch(`/webhooks/${webhook.id}`, { url: receiver.url });
    const before = receiver.received.length;
    const ofStatus = (status: string) => acme.admin.get(`/webhooks/${webhook.id}/deliveries?status=${status}`);
    expect((await ofStatus('PENDING')).body).toMatchObject([{ id: failed.id }]);
    expect([(await ofStatus('DELIVERED')).body, (await ofStatus('LOST')).status]).toEqual([[], 400]);
    const retried = await acme.admin.post(`/webhooks/${webhook.id}/deliveries/${failed.id}/retry`);
    expect([retried.status, retried.body]).toMatchObject([200, { id: failed.id, status: 'PENDING', attempts: 0 }]);
    await eventually(async () => expect(receiver.received).toHaveLength(before + 1));
    expect(receiver.received.at(-1)).toMatchObject({
      headers: { 'webhook-id': failed.id },
      body: { type: 'webhook.test', data: { webhookId: webhook.id } },
    });
    await acme.admin.patch(`/webhooks/${webhook.id}`, { disabled: true });
    for (const path of ['test', `deliveries/${failed.id}/retry`])
      expect(await acme.admin.post(`/webhooks/${webhook.id}/${path}`)).toEqual(problem(409, 'conflict', PATH));
  });

  it('records its changes, without the path of the URL and without a secret', async () => {
    const { webhook, secret } = await create({ url: `${URL}/token-in-path` });
    await acme.admin.patch(`/webhooks/${webhook.id}`, { url: `${URL}/other-token` });
    await acme.admin.post(`/webhooks/${webhook.id}/rotate-secret`);
    await acme.admin.delete(`/webhooks/${webhook.id}`);
    const { body } = await acme.admin.get('/audit-records?perPage=4');
    expect(body.map(({ event }: { event: string }) => event)).toEqual([
      'webhook.deleted',
      'webhook.secret-rotated',
      'webhook.changed',
      'webhook.created',
    ]);
    expect(body[3].details).toEqual({ webhook: webhook.id, host: '192.0.2.1', events: 'role.created' });
    expect(JSON.stringify(body)).not.toMatch(/token/);
    expect(JSON.stringify(body)).not.toContain(secret);
    expect(await acme.admin.get(`/webhooks/${webhook.id}/deliveries`)).toEqual(problem(404, 'not-found', PATH));
  });
});
