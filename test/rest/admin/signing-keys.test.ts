// /signing-keys: responses by status.
import { describe, expect, it } from 'vitest';
import { problem } from '../../support/problems.ts';
import { DIAGONAL } from '../../support/deployment.ts';
import { API } from '../../support/callers.ts';
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
