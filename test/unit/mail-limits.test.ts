// Which limits a request for a mail counts for.
import { expect, it } from 'vitest';
import { assertWithinLimits, countForNetwork } from '../../src/auth/mail/mail-limits.ts';
import { UNLIMITED } from '../../src/platform/clock.ts';

const CALL = { clientAddress: '2001:db8::1', deadline: UNLIMITED };
const NETWORK = '2001:db8:0:0::/64';

/** Returns limits of which one refuses, and the keys that they counted. */
function limitsOf(refusing?: string) {
  const counted: string[] = [];
  const limit = (name: string) => {
    const consume = async (key: string) => {
      counted.push(`${name} ${key}`);
      return name === refusing ? 1_000 : undefined;
    };
    return { consume, consumeUniformly: consume };
  };
  const limits = {
    ofAccount: limit('account'),
    ofNetwork: limit('network'),
    ofProxy: limit('proxy'),
    ofTenant: limit('tenant'),
    ofNobody: limit('nobody'),
  };
  return { limits, counted };
}

it.each([
  [false, 'network'],
  [true, 'proxy'],
])('counts a recovery for, if the address is shared: %s, the %s', async (sharedAddress, name) => {
  for (const refusing of [undefined, name]) {
    const { limits, counted } = limitsOf(refusing);
    expect(await countForNetwork(limits, { ...CALL, sharedAddress })).toBe(refusing === undefined);
    expect(counted).toEqual([`${name} ${NETWORK}`]);
  }
});

it.each([
  ['network', [`network ${NETWORK}`]],
  ['account', [`network ${NETWORK}`, 'account id:ann']],
  ['tenant', [`network ${NETWORK}`, 'account id:ann', 'tenant acme']],
])('a request that the limit of the %s refuses counts for no other', async (refusing, keys) => {
  const { limits, counted } = limitsOf(refusing);
  const request = assertWithinLimits(limits, { tenantId: 'acme', id: 'ann' }, { ...CALL, sharedAddress: false });
  await expect(request).rejects.toMatchObject({ reason: 'TOO_MANY_REQUESTS', retryAfterMs: 1_000 });
  expect(counted).toEqual(keys);
});
