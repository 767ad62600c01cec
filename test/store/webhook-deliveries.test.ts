// The deliveries of webhooks: their records, order and signatures. With real receivers and a clock of the test.
import { describe, expect, it } from 'vitest';
import { createKeyEncryption } from '../../src/auth/keys/key-encryption.ts';
import { createWebhookSecrets } from '../../src/auth/webhook/webhook-secrets.ts';
import { replaceSecret } from '../../src/auth/webhook/webhook-store.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { newId } from '../../src/platform/db/ids.ts';
import { ENGINES } from '../support/databases.ts';
import { waitTurns } from '../support/turns.ts';
import { signedBy, type WebhookReceiver } from '../support/webhook-receiver.ts';
import {
  addForAll,
  addWebhook,
  clock,
  createProcess,
  deliveries,
  HOUR_MS,
  receive,
  record,
  seal,
  secrets,
  send,
  test,
  users,
  useWebhookStage,
} from '../support/webhook-stage.ts';

describe.each(ENGINES)('deliveries of webhooks on %s', (engine) => {
  useWebhookStage(engine);

  it('are signed POST requests with the audit record', async () => {
    const receiver = await receive();
    const { webhook, secret } = await addWebhook(receiver.url);
    const accountId = newId();
    await record({ accountId, username: 'ann@acme.test', details: { reason: 'x', count: 2 } });
    await send();
    const [received] = receiver.received;
    expect(receiver.received).toHaveLength(1);
    const [delivery] = await deliveries(webhook);
    expect(received!.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': delivery!.id,
      'webhook-timestamp': `${Math.floor(clock.now() / 1000)}`,
    });
    const at = new Date(clock.now()).toISOString();
    expect(received!.body).toEqual({
      type: 'login.succeeded',
      timestamp: at,
      data: {
        id: delivery!.recordId,
        tenantId: 'acme',
        at,
        event: 'login.succeeded',
        accountId,
        username: 'ann@acme.test',
        clientAddress: '192.0.2.1',
        requestId: 'r1',
        details: { reason: 'x', count: 2 },
      },
    });
    expect(signedBy(received!, secret)).toEqual([true]);
    expect(delivery).toMatchObject({ status: 'DELIVERED', attempts: 1, responseStatus: 204, nextAt: undefined });
  });

  it('are only those of the own tenant, of the wanted events, and since the creation', async () => {
    await record({ username: 'before' });
    await seal();
    const [own, all] = [await receive(), await receive()];
    await addWebhook(own.url);
    await addForAll(all.url);
    await record({ username: 'own' });
    await record({ username: 'other', tenantId: 'globex' });
    await record({ username: 'none', tenantId: undefined });
    await record({ username: 'unwanted', event: 'account.created' });
    await send();
    expect(users(own)).toEqual(['own']);
    expect(new Set(users(all))).toEqual(new Set(['none', 'other', 'own']));
  });

  it('of audit.sealed have the head of the own tenant, or of all', async () => {
    const [own, all, records] = [await receive(), await receive(), await receive()];
    await addWebhook(own.url, { tenantId: 'acme', events: ['audit.sealed'] });
    await addWebhook(all.url, { tenantId: undefined, events: ['audit.sealed'] });
    await addWebhook(records.url);
    const heads = ({ received }: WebhookReceiver) => received.map(({ body }) => body.data);
    await record();
    await record({ tenantId: 'globex' });
    await send();
    await record({ tenantId: 'globex' });
    await record({ tenantId: undefined });
    await send();
    expect(own.types()).toEqual(['audit.sealed']);
    expect(heads(own)).toEqual([{ tenantId: 'acme', number: 1, head: 'head acme 1' }]);
    expect(heads(all)).toEqual([
      { number: 1, head: 'head * 1' },
      { number: 2, head: 'head * 2' },
    ]);
    expect(records.types()).toEqual(['login.succeeded']);
  });

  it('leave out the details of a record that is longer than 20 kB', async () => {
    const receiver = await receive();
    await addWebhook(receiver.url);
    await record({ username: 'ann', details: { long: 'x'.repeat(18_000) } });
    await record({ username: 'bob', details: { long: 'ä'.repeat(10_000) } });
    await send();
    expect(receiver.received.map(({ text }) => Buffer.byteLength(text) <= 20_000)).toEqual([true, true]);
    const byUser = new Map(receiver.received.map(({ body: { data } }) => [data['username'], data]));
    expect(byUser.get('ann')).toMatchObject({ details: { long: 'x'.repeat(18_000) } });
    expect(byUser.get('bob')).toMatchObject({ details: {}, detailsOmitted: true });
  });

  it('are in the order of the records for each account', async () => {
    const receiver = await receive(async () => {
      await waitTurns(20);
      return 200;
    });
    await addWebhook(receiver.url);
    const accounts = Array.from({ length: 4 }, () => newId());
    for (let index = 0; index < 24; index += 1) {
      clock.advance(1);
      await record({ accountId: accounts[index % 4]!, username: `${index}` });
    }
    await send();
    expect(receiver.received).toHaveLength(24);
    for (const account of accounts) {
      const ofAccount = receiver.received.filter(({ body }) => body.data['accountId'] === account);
      const order = ofAccount.map(({ body }) => Number(body.data['username']));
      expect(order).toEqual(order.toSorted((a, b) => a - b));
    }
  });

  it('have two signatures for a day after a new secret', async () => {
    const receiver = await receive();
    const { webhook, secret } = await addWebhook(receiver.url);
    const next = secrets.create(webhook.id);
    await test.database.transaction(UNLIMITED, (tx) =>
      replaceSecret(tx, webhook, next.encrypted, clock.now() + 24 * HOUR_MS),
    );
    await record();
    await send();
    clock.advance(24 * HOUR_MS);
    await record();
    await send();
    const [during, after] = receiver.received;
    expect([signedBy(during!, next.text), signedBy(during!, secret)]).toEqual([
      [true, false],
      [false, true],
    ]);
    expect(signedBy(after!, next.text)).toEqual([true]);
  });

  it('have signatures by three secrets at most, each until 24 hours after it was replaced', async () => {
    const receiver = await receive();
    const { webhook, secret } = await addWebhook(receiver.url);
    const known = [secret];
    const rotate = async () => {
      const next = secrets.create(webhook.id);
      await replaceSecret(test.database, webhook, next.encrypted, clock.now() + 24 * HOUR_MS);
      known.push(next.text);
    };
    /** Returns the numbers of the secrets that sign now, in the order of the signatures. */
    const signers = async () => {
      await record();
      await send();
      const received = receiver.received.at(-1)!;
      const places = known.map((one) => signedBy(received, one));
      return places[0]!.map((_, index) => places.findIndex((signed) => signed[index]));
    };
    const seen = [await signers()];
    for (const hours of [0, 12, 11, 1, 12]) {
      clock.advance(hours * HOUR_MS);
      if (hours === 0 || hours === 12) await rotate();
      seen.push(await signers());
    }
    await rotate();
    await rotate();
    await rotate();
    seen.push(await signers());
    clock.advance(24 * HOUR_MS);
    seen.push(await signers());
    expect(seen).toEqual([[0], [1, 0], [2, 1, 0], [2, 1, 0], [2, 1], [3, 2], [6, 5, 4], [6]]);
  });

  it('wait while the key of the secrets is lost, until the secret is replaced', async () => {
    const receiver = await receive();
    const { webhook } = await addWebhook(receiver.url);
    await record();
    const restored = createWebhookSecrets(createKeyEncryption(Buffer.alloc(32, 9)));
    await send(createProcess({ secrets: restored }));
    expect(receiver.received).toEqual([]);
    const [waiting] = await deliveries(webhook);
    expect(waiting).toMatchObject({ status: 'PENDING', error: 'the secret cannot be decrypted: replace it' });
    const next = restored.create(webhook.id);
    // The secret before it cannot be decrypted for a day.
    await replaceSecret(test.database, webhook, next.encrypted, clock.now() + 24 * HOUR_MS);
    clock.advance(HOUR_MS);
    await send(createProcess({ secrets: restored }));
    expect(receiver.received.map((request) => signedBy(request, next.text))).toEqual([[true]]);
  });

  it('have the record as it is after an erasure, and none if it is gone', async () => {
    const receiver = await receive(() => 500);
    const { webhook } = await addWebhook(receiver.url);
    await record({ username: 'ann' });
    await record({ username: 'bob' });
    await seal();
    await createProcess().fanOut.run();
    await test.database.execute("UPDATE audit_records SET username = NULL WHERE username = 'ann'");
    await test.database.execute("DELETE FROM audit_records WHERE username = 'bob'");
    receiver.respond = () => 200;
    await createProcess().send();
    expect(users(receiver)).toEqual([undefined]);
    expect(await deliveries(webhook)).toHaveLength(1);
  });
});
