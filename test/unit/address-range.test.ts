// Addresses as 16 bytes, and ranges of them, as another implementation has them.
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { expect, it } from 'vitest';
import { addressBytes, parseAddressRange } from '../../src/platform/formats/address-range.ts';

const bytesOf = (text: string) => {
  const address = ipaddr.parse(text);
  return Buffer.from(
    (address.kind() === 'ipv4' ? (address as ipaddr.IPv4).toIPv4MappedAddress() : address).toByteArray(),
  );
};

it.each(['::', '::1', '1::', '2001:db8::1', '::ffff:192.0.2.1', '64:ff9b::192.0.2.33', '1:2:3:4:5:6:7:8', '0.0.0.0'])(
  'has the bytes of %s',
  (text) => expect(addressBytes(text)).toEqual(bytesOf(text)),
);

it('has the bytes of any address', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
      expect(addressBytes(text)).toEqual(bytesOf(text));
    }),
  );
});

it.each([
  '',
  'x',
  '192.0.2',
  '192.0.2.256',
  'fe80::1%eth0',
  '1::2::3',
  '192.0.2.1/33',
  '::/129',
  '::/1/2',
  '::/x',
  '/8',
])('has none for %j', (text) => expect(parseAddressRange(text)).toBeUndefined());

it.each([
  ['192.0.2.77/24', '192.0.2.0', '192.0.2.255', false],
  ['10.1.2.3/8', '10.0.0.0', '10.255.255.255', true],
  ['192.0.2.1', '192.0.2.1', '192.0.2.1', false],
  ['2001:db8:1:2::/48', '2001:db8:1::', '2001:db8:1:ffff:ffff:ffff:ffff:ffff', false],
  ['::/0', '::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', true],
])('has the range of %s', (text, first, last, isWide) => {
  expect(parseAddressRange(text)).toEqual({ first: addressBytes(first), last: addressBytes(last), isWide });
});
