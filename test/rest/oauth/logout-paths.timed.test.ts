// Each kind of end of a session reaches three applications, each with a server of its own, within 2 s.
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { rememberPasswords } from '../../support/argon2.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { startLogoutReceiver, type LogoutReceiver } from '../../support/oauth/logout-receiver.ts';
import { openedService, signedIn, type ServiceParty } from '../../support/oauth/service.ts';
import { SESSION_ENDS, SESSION_SETTINGS, type End, type Stage } from '../../support/oauth/session-ends.ts';

rememberPasswords();

const LIMIT_MS = 2_000;
const EVERY_END: Readonly<Record<string, End>> = {
  ...SESSION_ENDS,
  'a suspended tenant': async (service, { user }) =>
    (await service.root()).post(`/tenants/${user.account.tenantId}/suspend`),
};

describe.each(DIAGONAL)('three applications of a session, $engine over $transport', (kind) => {
  const settings = { ...SESSION_SETTINGS, 'app.webhooks.allowed-networks': '127.0.0.1' };
  const service = openedService({ ...kind, settings });
  let receivers: readonly LogoutReceiver[];
  let parties: readonly ServiceParty[];
  beforeAll(async () => {
    receivers = await Promise.all([startLogoutReceiver(), startLogoutReceiver(), startLogoutReceiver()]);
    // Of all tenants.
    const fields = { tenantId: undefined, firstParty: true };
    parties = await Promise.all(receivers.map(({ url }) => service.party({ ...fields, backchannelLogoutUri: url })));
  });
  afterAll(async () => void (await Promise.all((receivers ?? []).map((receiver) => receiver.close()))));

  let tenants = 0;
  async function openStage(): Promise<Stage> {
    const tenantId = `tenant-${(tenants += 1)}`;
    const root = await service.root();
    expect((await root.post('/tenants', { tenantId, name: tenantId })).status).toBe(201);
    const user = await service.user({ tenantId });
    const browser = await signedIn(service, user);
    const idTokens: string[] = [];
    for (const party of parties) idTokens.push((await party.logIn(browser, user)).idToken);
    const { sid } = decodeJwt<{ sid: string }>(idTokens[0]!);
    return { user, browser, sid, idToken: idTokens[0]! };
  }

  it.each(Object.entries(EVERY_END))('learn within 2 s of %s', async (_, end) => {
    const stage = await openStage();
    expect((await end(service, stage)).status).toBeLessThan(300);
    const began = performance.now();
    const ofSession = () => receivers.map((receiver) => receiver.of(stage.sid).map(({ claims }) => claims.aud));
    await vi.waitFor(() => expect(ofSession()).toEqual(parties.map(({ client }) => [client.id])), {
      timeout: 60_000,
      interval: 10,
    });
    expect(performance.now() - began).toBeLessThan(LIMIT_MS);
  });
});
