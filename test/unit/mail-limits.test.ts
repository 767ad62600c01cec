// Which limits a request for a mail counts for.
import { expect, it } from 'vitest';
import { countPublicRequest } from '../../src/auth/mail/mail-limits.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';

const CALL = { clientAddress: '2001:db8::1', deadline: UNLIMITED };

/** Counts a request of ann. Returns whether it is allowed if `refusing` refuses, and the counted keys. */
async function count(sharedAddress: boolean, refusing?: string) {
  const counted: string[] = [];
  const limit = (name: string) => ({
    consume: async (key: string) => {
      counted.push(name === 'account' ? name : `${name} ${key}`);
      return name === refusing ? 1_000 : undefined;
    },
  });
  const limits = {
    ofAccount: limit('account'),
    ofNetwork: limit('network'),
    ofProxy: limit('proxy'),
    ofTenant: { ...limit('tenant'), check: async () => undefined },
    ofNobody: { ...limit('nobody'), check: async () => undefined },
  };
  return { isAllowed: await countPublicRequest(limits, 'ann', { ...CALL, sharedAddress }), counted };
}

it.each([
  [false, 'network'],
  [true, 'proxy'],
])('counts for the account and, if the address is shared: %s, for the %s', async (isShared, name) => {
  const counted = ['account', `${name} 2001:db8:0:0::/64`];
  expect(await count(isShared)).toEqual({ isAllowed: true, counted });
  expect(await count(isShared, 'account')).toEqual({ isAllowed: false, counted });
  expect(await count(isShared, name)).toEqual({ isAllowed: false, counted });
});
