// /signing-keys: responses by status.
import { describe, expect, it } from 'vitest';
import { problem } from '../../support/problems.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { API } from '../../support/callers.ts';
import { ACTIVATION_DELAY_MS } from '../../../src/auth/keys/rotation-schedule.ts';
import { openAdministration, pagingOf, TIME } from './administration.ts';

describe.each(DIAGONAL)('$engine over $transport', (kind) => {
  const acme = openAdministration(kind);

  it('lists and rotates signing keys, and returns 409 for a second rotation', async () => {
    const before = await acme.root.get('/signing-keys');
    const rotated = await acme.root.post('/signing-keys/rotate');
    expect([rotated.status, rotated.body]).toEqual([
      200,
      {
        kid: expect.any(String),
        algorithm: 'ES256',
        state: 'PUBLISHED',
        chain: 'ACCESS',
        createdAt: TIME,
        signsFrom: TIME,
      },
    ]);
    const after = await acme.root.get('/signing-keys?perPage=1');
    expect(pagingOf(after)).toEqual([pagingOf(before)[0]! + 1, 1, 1]);
    expect(after.body).toEqual([rotated.body]);
    expect(await acme.root.post('/signing-keys/rotate')).toEqual(
      problem(409, 'conflict', `${API}/signing-keys/rotate`),
    );
  });
});

describe.each(DIAGONAL)('with the OpenID provider, $engine over $transport', (kind) => {
  const acme = openAdministration({ ...kind, settings: { 'app.public-url': 'https://auth.shop.test' } });
  const path = '/signing-keys/rotate';

  it('shows the chain of each key, and rotates a chain or both', async () => {
    const before = await acme.root.get('/signing-keys');
    expect(before.body.map(({ chain }: { chain: string }) => chain).toSorted()).toEqual(['ACCESS', 'ID']);
    const rotated = await acme.root.post(path, { chain: 'ID' });
    expect([rotated.status, rotated.body]).toEqual([
      200,
      {
        kid: expect.any(String),
        algorithm: 'RS256',
        state: 'PUBLISHED',
        createdAt: TIME,
        signsFrom: TIME,
        chain: 'ID',
      },
    ]);
    for (const body of [undefined, {}, { chain: 'ID' }])
      expect(await acme.root.post(path, body)).toEqual(problem(409, 'conflict', `${API}${path}`));
    expect((await acme.root.post(path, { chain: 'ACCESS' })).body).toMatchObject({
      algorithm: 'ES256',
      chain: 'ACCESS',
    });
    acme.world.deployment.clock.advance(ACTIVATION_DELAY_MS);
    const both = await acme.root.post(path, {});
    expect([both.status, both.body.chain]).toEqual([200, 'ACCESS']);
    expect(pagingOf(await acme.root.get('/signing-keys'))[0]).toBe(6);
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
