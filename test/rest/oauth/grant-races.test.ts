// Requests on codes and grants at two processes at once: whatever comes first, nothing outlives its end, and nothing is lost.
import { describe, expect, it } from 'vitest';
import { rememberPasswords } from '../../support/argon2.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { ENDS, type Operation, type Outcome } from '../../support/oauth/grant-model.ts';
import { openScene, type Scene } from '../../support/oauth/grant-scene.ts';
import { openedServices } from '../../support/oauth/service.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { waitTurns } from '../../support/turns.ts';

rememberPasswords();

const [WEB, SPA] = [0, 1];
const REVOKED = 'invalid_grant';
/** Turns of the event loop that a request takes at most, about. */
const REQUEST_TURNS = 100;
const rounds = Array.from({ length: ROUNDS }, (_, index) => index + 1);

describe.each(DIAGONAL)('races of grants, $engine over $transport', (kind) => {
  const services = openedServices({ ...kind, isPatient: true });

  /** Opens a scene with a session, in which all has been allowed to both applications, and codes with the numbers from 10. */
  async function begin(codes: readonly { readonly party: number; readonly offline?: boolean }[]): Promise<Scene> {
    const scene = await openScene(services);
    await scene.perform({ kind: 'open', session: 0 }, 0);
    for (const party of [WEB, SPA]) await authorize(scene, party, { party, offline: true });
    for (const [index, code] of codes.entries()) await authorize(scene, 10 + index, code);
    return scene;
  }

  async function authorize(scene: Scene, grant: number, code: { readonly party: number; readonly offline?: boolean }) {
    expect(await scene.perform({ kind: 'authorize', grant, session: 0, offline: false, ...code }, 0)).toMatch(/code$/);
  }

  /** Carries out operations at once, at both processes in turn. */
  const atOnce = (scene: Scene, ...operations: readonly Operation[]): Promise<Outcome[]> =>
    Promise.all(
      operations.map(async (operation, index) => {
        await waitTurns(REQUEST_TURNS);
        return scene.perform(operation, index % 2);
      }),
    );

  const exchange = (grant: number): Operation => ({ kind: 'exchange', grant });
  const refresh = (grant: number, generation: number): Operation => ({ kind: 'refresh', grant, generation });
  const newest = ({ held }: Scene, grant: number) => Math.max(...held.get(grant)!.refresh.keys());

  /** Whether the newest tokens of a grant are good, at both processes. */
  async function isGood(scene: Scene, grant: number): Promise<readonly boolean[]> {
    const { party, access } = scene.held.get(grant)!;
    const accepted = await Promise.all([0, 1].map((at) => scene.accepts(party, access.at(-1)!, at)));
    return [...accepted, (await scene.perform(refresh(grant, newest(scene, grant)), 1)) !== REVOKED];
  }
  const GOOD = [true, true, true];
  const OVER = [false, false, false];

  it.each(rounds)('parallel refreshes of a public client all get the same successor, round %i', async () => {
    const scene = await begin([{ party: SPA }]);
    await scene.perform(exchange(10), 0);
    expect(new Set(await atOnce(scene, ...Array<Operation>(6).fill(refresh(10, 1))))).toEqual(new Set(['tokens 2']));
    expect(await atOnce(scene, refresh(10, 2), refresh(10, 1), refresh(10, 2))).toEqual([
      'tokens 3',
      'tokens 2',
      'tokens 3',
    ]);
    expect(await isGood(scene, 10)).toEqual(GOOD);
  });

  it.each(rounds)('parallel refreshes of a confidential client all keep their token, round %i', async () => {
    const scene = await begin([{ party: WEB }]);
    await scene.perform(exchange(10), 0);
    expect(new Set(await atOnce(scene, ...Array<Operation>(6).fill(refresh(10, 1))))).toEqual(new Set(['tokens 1']));
    expect(await isGood(scene, 10)).toEqual(GOOD);
  });

  it.each(rounds)('a replay beside refreshes ends the grant, round %i', async () => {
    const scene = await begin([{ party: SPA }]);
    for (const operation of [exchange(10), refresh(10, 1), refresh(10, 2), refresh(10, 3)])
      await scene.perform(operation, 0);
    const [, replayed] = await atOnce(scene, refresh(10, 4), refresh(10, 1), refresh(10, 4));
    expect([replayed, await isGood(scene, 10)]).toEqual([REVOKED, OVER]);
  });

  const USES: readonly (readonly [string, Operation])[] = [
    ['a refresh', refresh(10, 1)],
    ['a second redemption', exchange(10)],
  ];
  it.each(rounds.flatMap((round) => USES.map(([name, use]) => [name, round, use] as const)))(
    '%s beside the revocation and the deletion of the grant, round %i',
    async (_name, _round, use) => {
      const scene = await begin([{ party: SPA, offline: true }]);
      await scene.perform(exchange(10), 0);
      await atOnce(scene, use, { kind: 'delete', grant: 10 }, { kind: 'revoke', grant: 10 });
      expect(await isGood(scene, 10)).toEqual(OVER);
    },
  );

  it.each(rounds)('a logout beside refreshes ends what is bound to the session alone, round %i', async () => {
    const scene = await begin([{ party: SPA }, { party: SPA, offline: true }]);
    await atOnce(scene, exchange(10), exchange(11));
    await atOnce(scene, refresh(10, 1), { kind: 'log out', session: 0 }, refresh(11, 1));
    expect([await isGood(scene, 10), await isGood(scene, 11)]).toEqual([OVER, GOOD]);
  });

  it.each(rounds.flatMap((round) => ENDS.map((how) => [how, round] as const)))(
    'no code and no refresh beside the end of all (%s) leaves a grant, round %i',
    async (how) => {
      const scene = await begin([{ party: WEB, offline: true }, { party: SPA, offline: true }, { party: SPA }]);
      await scene.perform(exchange(11), 0);
      await atOnce(scene, exchange(10), { kind: 'end all', how }, refresh(11, 1), exchange(12));
      for (const grant of [10, 11, 12])
        if (scene.held.get(grant)!.access.length > 0)
          expect([grant, await isGood(scene, grant)]).toEqual([grant, OVER]);
    },
  );

  it.each(rounds)('a disabled application beside its codes: all is refused, and good again, round %i', async () => {
    const scene = await begin([{ party: SPA, offline: true }, { party: SPA }]);
    await scene.perform(exchange(11), 0);
    await atOnce(scene, exchange(10), { kind: 'switch', party: SPA, disabled: true }, refresh(11, 1));
    for (const grant of [10, 11]) {
      const { access } = scene.held.get(grant)!;
      if (access.length > 0) expect(await scene.accepts(SPA, access.at(-1)!, 0)).toBe(false);
    }
    expect(await scene.perform(refresh(11, newest(scene, 11)), 0)).toBe('invalid_client');
    await scene.perform({ kind: 'switch', party: SPA, disabled: false }, 1);
    expect(await isGood(scene, 11)).toEqual(GOOD);
  });

  it.each(rounds)('a deleted application beside its codes leaves no token, round %i', async () => {
    const scene = await begin([{ party: SPA, offline: true }, { party: SPA }]);
    await scene.perform(exchange(11), 0);
    const admin = await services[1].root();
    const [outcomes] = await Promise.all([
      atOnce(scene, exchange(10), refresh(11, 1)),
      waitTurns(REQUEST_TURNS).then(() => admin.delete(`/applications/${scene.parties[SPA]!.client.applicationId}`)),
    ]);
    for (const outcome of outcomes) expect(outcome).toMatch(/^(tokens|invalid_)/);
    for (const grant of [10, 11])
      for (const token of scene.held.get(grant)!.access) expect(await scene.accepts(SPA, token, 0)).toBe(false);
    expect(await scene.perform(refresh(11, 1), 0)).toBe('invalid_client');
  });

  it.each(rounds)(
    'a consent and its revocation at once: a code without a question is revoked too, round %i',
    async () => {
      const scene = await begin([{ party: WEB }]);
      await scene.perform(exchange(10), 0);
      const [asked] = await atOnce(
        scene,
        { kind: 'authorize', grant: 20, session: 0, party: WEB, offline: false },
        { kind: 'delete', grant: 10 },
      );
      const redeemed = await scene.perform(exchange(20), 1);
      expect([asked, redeemed]).toEqual(asked === 'code' ? ['code', REVOKED] : ['consent, code', 'tokens 1']);
    },
  );

  it.each(rounds)('first consents in two tabs at once: each gets its code, round %i', async () => {
    const scene = await openScene(services);
    await scene.perform({ kind: 'open', session: 0 }, 0);
    const tab = (grant: number): Operation => ({
      kind: 'authorize',
      grant,
      session: 0,
      party: WEB,
      offline: grant % 2 === 0,
    });
    const outcomes = await atOnce(scene, tab(1), tab(2), tab(3), tab(4));
    expect(outcomes.map((outcome) => outcome.endsWith('code'))).toEqual([true, true, true, true]);
    expect(await scene.perform(tab(6), 0)).toBe('code');
    for (const grant of [1, 2, 3, 4]) expect(await scene.perform(exchange(grant), grant % 2)).toBe('tokens 1');
  });
});
