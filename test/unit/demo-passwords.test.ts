import { expect, it } from 'vitest';
import { UNLIMITED } from '../../src/platform/clock.ts';
import { hashOnce } from '../../src/composition/first-accounts.ts';

const REQUESTER = { clientAddress: 'test', deadline: UNLIMITED };

it('hashes equal passwords of the demo once, and each other password', async () => {
  const hashed: string[] = [];
  const { hash } = hashOnce({
    async hash(password) {
      hashed.push(password);
      return `hash ${hashed.length}`;
    },
  });
  const hashes = await Promise.all(['a', 'b', 'a'].map((password) => hash(password, REQUESTER)));
  expect(hashes).toEqual(['hash 1', 'hash 2', 'hash 1']);
  expect(hashed).toEqual(['a', 'b']);
});
