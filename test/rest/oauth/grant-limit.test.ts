// At most 20 grants of an account and application: a further one ends the least recently used of those that live.
import { describe, expect, it } from 'vitest';
import { createGrantStore } from '../../../src/auth/oauth/grants/grant-store.ts';
import { UNLIMITED } from '../../../src/platform/clock.ts';
import { idToBytes } from '../../../src/platform/db/ids.ts';
import { rememberPasswords } from '../../support/argon2.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { openScene, type Scene } from '../../support/oauth/grant-scene.ts';
import { webApplication } from '../../support/oauth/applications.ts';
import { offlineGrant } from '../../support/oauth/grants.ts';
import { openedServices } from '../../support/oauth/service.ts';
import { ROUNDS } from '../../support/rounds.ts';

rememberPasswords();

const [WEB, SPA] = [0, 1];
const MAX_GRANTS = 20;
/** A grant of the other application. */
const OF_OTHER = 100;
const MAX_OVER = 20;
/** So many that a redemption deletes some. */
const OVER = 41;

describe.each(DIAGONAL)('the limit of grants, $engine over $transport', (kind) => {
  const services = openedServices({ ...kind, isPatient: true });

  /** Opens a session with a code. */
  async function begin(scene: Scene, id: number, more: { readonly offline: boolean }): Promise<void> {
    await scene.perform({ kind: 'open', session: id }, 0);
    await scene.perform({ kind: 'authorize', grant: id, session: id, party: WEB, ...more }, id % 2);
  }

  async function redeem(scene: Scene, id: number): Promise<void> {
    expect(await scene.perform({ kind: 'exchange', grant: id }, id % 2)).toBe('tokens 1');
    scene.advance(1000);
  }

  const isGood = (scene: Scene, id: number) => {
    const { party, access } = scene.held.get(id)!;
    return scene.accepts(party, access[0]!, 0);
  };

  it('holds for each application, and for codes that are redeemed at once in several sessions', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const scene = await openScene(services);
      for (let id = 0; id < MAX_GRANTS + 4; id += 1) await begin(scene, id, { offline: false });
      await scene.perform({ kind: 'authorize', grant: OF_OTHER, session: 0, party: SPA, offline: false }, 0);
      await redeem(scene, OF_OTHER);
      for (let id = 0; id < MAX_GRANTS - 1; id += 1) await redeem(scene, id);
      expect(await scene.perform({ kind: 'refresh', grant: 0, generation: 1 }, 1)).toBe('tokens 1');
      scene.advance(1000);
      const late = [0, 1, 2, 3, 4].map((index) => MAX_GRANTS - 1 + index);
      await Promise.all(late.map((id) => scene.perform({ kind: 'exchange', grant: id }, id % 2)));
      const good: number[] = [];
      for (const id of scene.held.keys()) if (await isGood(scene, id)) good.push(id);
      expect(good).toEqual([0, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, ...late, OF_OTHER]);
      expect(await scene.perform({ kind: 'refresh', grant: 1, generation: 1 }, 0)).toBe('invalid_grant');
    }
  });

  it('keeps some rows of grants that are over: a redemption must not become slower with each login before it', async () => {
    const scene = await openScene(services);
    for (const id of [0, 1]) await begin(scene, id, { offline: true });
    const { database, clock } = services[0].deployment;
    const { applicationId: id } = scene.parties[WEB]!.client;
    const application = webApplication({ tenantId: scene.account.tenantId, id });
    const store = createGrantStore(database);
    const now = clock.now();
    const overAt = (index: number) => now - (OVER - index) * 1000;
    for (let index = 0; index < OVER; index += 1) {
      const grant = offlineGrant(scene.account, application, overAt(index));
      await store.insert(database, { ...grant, accessExpiresAt: now - 1, revokedAt: now - 1 }, UNLIMITED);
    }
    const used = async () =>
      (
        await database.query<{ at: number }>('SELECT last_used_at AS at FROM grants WHERE account_id = ? ORDER BY at', [
          idToBytes(scene.account.id),
        ])
      ).map(({ at }) => at);
    await redeem(scene, 0);
    const kept = Array.from({ length: MAX_OVER }, (_, index) => overAt(OVER - MAX_OVER + index));
    expect(await used()).toEqual([...kept, now]);
    await redeem(scene, 1);
    expect(await used()).toHaveLength(MAX_OVER + 2);
  });

  it('does not count grants that are over with their sessions', async () => {
    const scene = await openScene(services);
    await begin(scene, 0, { offline: true });
    await redeem(scene, 0);
    for (let id = 1; id <= MAX_GRANTS; id += 1) {
      await begin(scene, id, { offline: false });
      await redeem(scene, id);
      await scene.perform({ kind: 'log out', session: id }, 1);
    }
    await begin(scene, MAX_GRANTS + 1, { offline: true });
    await redeem(scene, MAX_GRANTS + 1);
    expect([await isGood(scene, 0), await isGood(scene, MAX_GRANTS + 1)]).toEqual([true, true]);
  });
});
