// The client address of a call, from the peer address and the address that the peer reports.
import { expect, it } from 'vitest';
import { clientAddress } from '../../src/platform/rpc/pipeline/client-address.ts';

const GATEWAY = { address: '10.0.0.1', trusted: true };
const STRANGER = { address: '10.0.0.2', trusted: false };
const claim = (address?: string, sharedAddress = false) => ({ clientAddress: address, sharedAddress });

it.each([
  ['a caller that speaks for itself', STRANGER, claim(), { address: '10.0.0.2', shared: false }],
  ['a trusted gateway', GATEWAY, claim('192.0.2.1'), { address: '192.0.2.1', shared: false }],
  [
    'a trusted gateway behind an unknown proxy',
    GATEWAY,
    claim('192.0.2.1', true),
    { address: '192.0.2.1', shared: true },
  ],
  ['a trusted gateway that does not know', GATEWAY, claim(undefined, true), { address: '10.0.0.1', shared: true }],
  ['a trusted gateway that sends garbage', GATEWAY, claim('garbage'), { address: '10.0.0.1', shared: true }],
  ['a gateway that is not listed', STRANGER, claim('192.0.2.1'), { address: '10.0.0.2', shared: true }],
  [
    'an IPv4 address inside an IPv6 one',
    GATEWAY,
    claim('0:0:0:0:0:FFFF:C000:0201'),
    { address: '192.0.2.1', shared: false },
  ],
  ['another spelling', GATEWAY, claim('2001:0DB8:0::1%eth0'), { address: '2001:db8::1', shared: false }],
])('%s', (_what, peer, claimed, expected) => {
  expect(clientAddress(peer, claimed)).toEqual(expected);
});
