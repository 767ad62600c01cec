// /signing-keys: responses by status.
import { describe, expect, it } from 'vitest';
import { problem } from '../../support/problems.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { PUBLIC_URL } from '../../support/mails.ts';
import { API, caller } from '../../support/callers.ts';
import { ACTIVATION_DELAY_MS } from '../../../src/auth/keys/rotation-schedule.ts';
import { openAdministration, pagingOf, TIME } from './administration.ts';

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const acme = openAdministration({ ...kind, isPatient: true, settings: { 'app.public-url': PUBLIC_URL } });
  const path = '/signing-keys/rotate';
  const conflict = problem(409, 'conflict', `${API}${path}`);
  const published = (chain: 'ACCESS' | 'ID') => ({
    kid: expect.any(String),
    algorithm: chain === 'ID' ? 'RS256' : 'ES256',
    state: 'PUBLISHED',
    createdAt: TIME,
    signsFrom: TIME,
    chain,
  });

  it('lists the keys of both chains, rotates both, and returns 409 for a second rotation', async () => {
    const before = await acme.root.get('/signing-keys');
    expect(before.body.map(({ chain }: { chain: string }) => chain)).toEqual(['ACCESS', 'ID']);
    acme.world.deployment.clock.advance(1);
    const rotated = await acme.root.post(path);
    expect([rotated.status, rotated.body]).toEqual([200, published('ACCESS')]);
    const after = await acme.root.get('/signing-keys?perPage=2');
    expect(pagingOf(after)).toEqual([4, 1, 2]);
    expect(after.body).toEqual([rotated.body, published('ID')]);
    for (const body of [undefined, {}, { chain: 'ACCESS' }, { chain: 'ID' }])
      expect(await acme.root.post(path, body)).toEqual(conflict);
  });

  it('rotates one chain', async () => {
    acme.world.deployment.clock.advance(ACTIVATION_DELAY_MS);
    for (const chain of ['ID', 'ACCESS'] as const) {
      const rotated = await acme.root.post(path, { chain });
      expect([rotated.status, rotated.body]).toEqual([200, published(chain)]);
      for (const body of [{}, { chain }]) expect(await acme.root.post(path, body)).toEqual(conflict);
    }
  });

  it('revokes a key, which is 404 then', async () => {
    const { deployment } = acme.world;
    const root = await caller(deployment, { tenantId: undefined, roles: ['SUPER_ADMIN'] });
    const [key] = (await root.get('/signing-keys')).body.filter(({ chain }: { chain: string }) => chain === 'ID');
    const revokePath = `/signing-keys/${key.kid}/revoke`;
    const revoked = await root.post(revokePath, { reason: 'leaked' });
    expect([revoked.status, revoked.body]).toEqual([
      200,
      { ...published('ID'), state: 'ACTIVE', kid: expect.not.stringMatching(key.kid) },
    ]);
    expect(await root.post(revokePath)).toEqual(problem(404, 'not-found', `${API}${revokePath}`));
    expect((await root.post(revokePath, { reason: 'x'.repeat(501) })).status).toBe(404);
    const other = `/signing-keys/${revoked.body.kid}/revoke`;
    expect((await root.post(other, { reason: 'x'.repeat(501) })).status).toBe(400);
  });

  it.each([
    { chain: 'BOTH' },
    { chain: 'UNSPECIFIED' },
    { chain: 'id' },
    { chain: 2 },
    { chain: null },
    { chain: ['ID'] },
  ])('returns 400 for %j', async (body) => {
    expect(await acme.root.post(path, body)).toEqual(problem(400, 'validation-error', `${API}${path}`));
  });
});
