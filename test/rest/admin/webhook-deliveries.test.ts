// /webhooks/{id}/deliveries/{deliveryId} and /webhooks/{id}/redeliver, and what webhooks say about their receivers.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../src/platform/db/ids.ts';
import { caller, faults, type Caller } from '../../support/callers.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { eventually } from '../../support/eventually.ts';
import { problem } from '../../support/problems.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts';
import { openAdministration, TIME } from './administration.ts';

const PATH = expect.stringMatching(/^\/api\/v1\/webhooks/);
const FAILED = { since: '2026-01-01T00:00:00Z', status: 'FAILED' };

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const acme = openAdministration({ ...kind, settings: { 'app.webhooks.allowed-networks': '127.0.0.1' } });
  let globex: Caller;
  let receiver: WebhookReceiver;
  let path: string;
  beforeAll(async () => {
    globex = await caller(acme.world.deployment, { tenantId: 'globex', roles: ['ADMIN'] });
    receiver = await startWebhookReceiver();
  });
  afterAll(() => receiver?.close());
  beforeEach(async () => {
    receiver.respond = () => ({ status: 503, text: 'down for maintenance' });
    const { body } = await acme.admin.post('/webhooks', { url: receiver.url, events: ['role.created'] });
    path = `/webhooks/${body.webhook.id}`;
  });
  /** Sends a test and waits for its attempts. Returns its delivery. */
  async function sendTest(attempts = 1) {
    const { id } = (await acme.admin.post(`${path}/test`)).body;
    return eventually(async () => {
      const { body } = await acme.admin.get(`${path}/deliveries/${id}`);
      expect(body.attempts.length).toBeGreaterThanOrEqual(attempts);
      return body;
    });
  }

  it('shows a delivery with what was sent and answered, without the signature', async () => {
    const before = receiver.received.length;
    const { delivery, attempts } = await sendTest();
    const { headers, text } = receiver.received[before]!;
    expect(delivery).toMatchObject({ event: 'webhook.test', responseStatus: 503 });
    expect(attempts[0]).toEqual({
      at: TIME,
      durationMs: expect.any(Number),
      requestHeaders: {
        'content-type': 'application/json',
        'user-agent': 'authservice',
        'webhook-id': delivery.id,
        'webhook-timestamp': headers['webhook-timestamp'],
        'webhook-signature': 'v1,***',
      },
      requestBody: text,
      responseStatus: 503,
      responseBody: 'down for maintenance',
      error: 'the receiver responded 503',
    });
    const shown = await acme.admin.get(`${path}/deliveries/${delivery.id}`);
    expect(shown.headers.get('cache-control')).toBe('no-store');
    expect(shown.text).not.toContain((headers['webhook-signature'] as string).slice(3));
  });

  it('shows the body of a record as it was sent', async () => {
    receiver.respond = () => 204;
    const name = `SENT_${newId().replaceAll('-', '').toUpperCase()}`;
    await acme.admin.post('/roles', { name });
    const sent = await eventually(() => {
      const found = receiver.received.find(({ text }) => text.includes(name));
      expect(found).toBeDefined();
      return found!;
    });
    const deliveryPath = `${path}/deliveries/${sent.headers['webhook-id'] as string}`;
    const { body } = await eventually(async () => {
      const response = await acme.admin.get(deliveryPath);
      expect(response.body.attempts).toHaveLength(1);
      return response;
    });
    expect(body.attempts[0]).toMatchObject({ requestBody: sent.text, responseStatus: 204, responseBody: '' });
    expect(body.attempts[0]).not.toHaveProperty('error');
  });

  it('shows since when a webhook fails, and its last success', async () => {
    await sendTest();
    const failing = (await acme.admin.get(path)).body;
    expect(failing).toMatchObject({ failingSince: TIME, waiting: 1, disabled: false });
    expect(failing).not.toHaveProperty('lastSuccessAt');
    receiver.respond = () => 204;
    expect((await acme.admin.post(`${path}/redeliver`, FAILED)).body).toEqual({ deliveries: 1, hasMore: false });
    const listed = await eventually(async () => {
      const { body } = await acme.admin.get('/webhooks?perPage=1');
      expect(body[0]).toMatchObject({ lastSuccessAt: TIME, waiting: 0 });
      return body[0];
    });
    expect(listed).not.toHaveProperty('failingSince');
    const [audited] = (await acme.admin.get('/audit-records?perPage=1&events=webhook.redelivered')).body;
    expect(audited).toMatchObject({
      causedBy: { id: acme.admin.account.id },
      details: { webhook: path.split('/')[2], since: '2026-01-01T00:00:00.000Z', deliveries: 1 },
    });
    expect((await acme.admin.post(`${path}/redeliver`, FAILED)).body).toEqual({ deliveries: 0, hasMore: false });
  });

  it.each([
    ['without a time', { status: 'FAILED' }, ['since']],
    ['without a status', { since: FAILED.since }, ['status']],
    ['for another status', { ...FAILED, status: 'DELIVERED' }, ['status']],
    ['for a bad time', { ...FAILED, since: 'yesterday' }, ['since']],
  ])('returns 400 %s', async (_, body, names) => {
    const refused = await acme.admin.post(`${path}/redeliver`, body);
    expect([refused.status, faults(refused)]).toEqual([400, names]);
  });

  it('returns 409 for a disabled webhook, and 404 for those of other tenants', async () => {
    const { delivery } = await sendTest();
    for (const deliveryId of [newId(), 'x'])
      expect(await acme.admin.get(`${path}/deliveries/${deliveryId}`)).toEqual(problem(404, 'not-found', PATH));
    expect(await globex.get(`${path}/deliveries/${delivery.id}`)).toEqual(problem(404, 'not-found', PATH));
    expect(await globex.post(`${path}/redeliver`, FAILED)).toEqual(problem(404, 'not-found', PATH));
    await acme.admin.patch(path, { disabled: true });
    expect(await acme.admin.post(`${path}/redeliver`, FAILED)).toEqual(problem(409, 'conflict', PATH));
    expect((await acme.admin.get(`${path}/deliveries/${delivery.id}`)).status).toBe(200);
  });
});
