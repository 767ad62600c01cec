// Which URLs and addresses of tenants the service sends requests to.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outsideUrlProblem } from '../../src/platform/http/outside-url.ts';
import { createReachableAddresses } from '../../src/platform/http/reachable-addresses.ts';

const GLOBAL = [
  '1.1.1.1',
  '8.8.8.8',
  '172.15.255.255',
  '172.32.0.1',
  '193.99.144.80',
  '2606:4700::1111',
  '2a02:2e0::1',
];

const NOT_GLOBAL: readonly (readonly [kind: string, ...addresses: string[]])[] = [
  ['this host', '0.0.0.0', '0.1.2.3'],
  ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1'],
  ['shared by a carrier', '100.64.0.1', '100.127.255.255'],
  ['loopback', '127.0.0.1', '127.255.255.255', '::1'],
  ['link-local, with the metadata of clouds', '169.254.169.254', 'fe80::1', 'febf::1'],
  ['protocol assignments', '192.0.0.8', '192.0.0.170'],
  ['documentation', '192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  ['benchmarks', '198.18.0.1', '198.19.255.255', '2001:2::1'],
  ['multicast', '224.0.0.1', '239.255.255.255', 'ff02::1'],
  ['reserved', '240.0.0.1', '255.255.255.255', '2001::1', '4000::1', '::2'],
  ['unspecified', '::'],
  ['unique local', 'fc00::1', 'fd00:ec2::254'],
  ['site-local', 'fec0::1'],
  ['discard', '100::1'],
  ['IPv4-compatible', '::127.0.0.1', '::8.8.8.8'],
  ['IPv4-translated', '::ffff:0:127.0.0.1', '::ffff:0:8.8.8.8'],
  ['6to4 and Teredo', '2002:7f00:1::1', '2002:0808:0808::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ['NAT64 of a network', '64:ff9b:1::8.8.8.8'],
];

const EMBEDDED = (address: string) => [
  `::ffff:${address}`,
  `0:0:0:0:0:FFFF:${address}`,
  `64:ff9b::${address}`,
  `::ffff:${hexadecimal(address)}`,
];

const hexadecimal = (address: string): string => {
  const [a, b, c, d] = address.split('.').map(Number) as [number, number, number, number];
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
};

describe('an address', () => {
  const isReachable = createReachableAddresses([]);

  it.each(GLOBAL)('%s is reachable', (address) => {
    expect(isReachable(address)).toBe(true);
  });

  it.each(NOT_GLOBAL)('is not reachable: %s', (_kind, ...addresses) => {
    expect(addresses.filter(isReachable)).toEqual([]);
  });

  it.each(['', 'localhost', '127.1', '0x7f.1', '1.1.1', '1.1.1.1.1', 'fe80::1%eth0', '[::1]', '1.1.1.1/32'])(
    '%j is none',
    (text) => {
      expect(isReachable(text)).toBe(false);
    },
  );

  it('is judged as the IPv4 address that it embeds', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        for (const embedded of EMBEDDED(address)) expect(isReachable(embedded)).toBe(isReachable(address));
      }),
    );
  });

  it('may be in an allowed network', () => {
    const isAllowed = createReachableAddresses(['10.1.0.0/16', '127.0.0.1', 'fd00::/8', '::1']);
    for (const address of ['10.1.2.3', '::ffff:10.1.2.3', '127.0.0.1', 'fd12::1', '::1', '8.8.8.8'])
      expect(isAllowed(address)).toBe(true);
    for (const address of ['10.2.0.1', '127.0.0.2', '::ffff:127.0.0.2', 'fe80::1', '::2'])
      expect(isAllowed(address)).toBe(false);
  });
});

describe('a URL', () => {
  it.each([
    'https://hooks.example.com/a?b=c',
    'https://hooks.example.com:8443/',
    'https://127.0.0.1/',
    'https://[::1]/',
    'https://münchen.example/',
    `https://hooks.example.com/${'a'.repeat(1_900)}`,
  ])('%s is accepted', (url) => {
    expect(outsideUrlProblem(url, true)).toBeUndefined();
    expect(outsideUrlProblem(url.replace('https:', 'http:'), false)).toBeUndefined();
  });

  it.each([
    ['', 'must be a URL'],
    ['hooks', 'must be a URL'],
    ['https://', 'must be a URL'],
    ['https://a b/', 'must be a URL'],
    [' https://hooks.example.com/', 'must be a URL'],
    ['https://hooks.example.com/\n', 'must be a URL'],
    ['https://hooks.example.com:99999/', 'must be a URL'],
    ['http://hooks.example.com/', 'must begin with https://'],
    ['ftp://hooks.example.com/', 'must begin with https://'],
    ['file:///etc/passwd', 'must begin with https://'],
    ['https://user@hooks.example.com/', 'must not contain a user name or password'],
    ['https://:secret@hooks.example.com/', 'must not contain a user name or password'],
    ['https://hooks.example.com/#part', 'must not contain a fragment'],
    ['https://hooks.example.com/#', 'must not contain a fragment'],
    ['https://hooks.example.com:22/', 'must have port 80, 443, or one from 1024'],
    ['https://hooks.example.com:0/', 'must have port 80, 443, or one from 1024'],
    [`https://hooks.example.com/${'a'.repeat(2_000)}`, 'must have at most 2000 characters'],
  ])('%j is refused', (url, problem) => {
    expect(outsideUrlProblem(url, true)).toBe(problem);
  });
});
