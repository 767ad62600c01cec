// Addresses as 16 bytes, in whose order each range of CIDR (RFC 4632) is one interval. IPv4 is embedded in IPv6 (RFC 4291 section 2.5.5.2).
import { isIP } from 'node:net';

/** An interval of addresses, both ends inclusive. */
export interface AddressRange {
  readonly first: Buffer;
  readonly last: Buffer;
  /** Whether it is wider than a /16 of IPv4 or a /48 of IPv6, so that many rows can have an address of it. */
  readonly isWide: boolean;
}

const ADDRESS_BITS = 128;
const IPV4_BITS = 32;
const GROUPS = 8;
const DOTTED = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/;

/** Returns an address as 16 bytes; undefined for any other text. */
export function addressBytes(text: string): Buffer | undefined {
  const version = isIP(text);
  if (version === 0 || text.includes('%')) return undefined;
  // A dotted end is an IPv4 address in its last two groups.
  const groups = (version === 4 ? `::ffff:${text}` : text).replace(DOTTED, (_, ...octets: string[]) =>
    Buffer.from(octets.slice(0, 4).map(Number)).toString('hex').replace(/^.{4}/, '$&:'),
  );
  const [before, after] = groups.split('::').map((part) => part.split(':').filter(Boolean));
  const missing = Array<string>(GROUPS - before!.length - (after?.length ?? 0)).fill('0');
  const all = [...before!, ...missing, ...(after ?? [])];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

/** Returns the range of an address or of `address/bits`; undefined for any other text. */
export function parseAddressRange(text: string): AddressRange | undefined {
  const [address = '', bits, ...others] = text.split('/');
  const bytes = addressBytes(address);
  if (bytes === undefined || others.length > 0) return undefined;
  if (bits === undefined) return { first: bytes, last: bytes, isWide: false };
  const [size, wide] = isIP(address) === 4 ? [IPV4_BITS, 16] : [ADDRESS_BITS, 48];
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > size) return undefined;
  return { ...intervalOf(bytes, size - Number(bits)), isWide: Number(bits) < wide };
}

/** Returns the interval of all addresses that differ in the last bits at most. */
function intervalOf(bytes: Buffer, freeBits: number): Pick<AddressRange, 'first' | 'last'> {
  const free = (1n << BigInt(freeBits)) - 1n;
  const value = BigInt(`0x${bytes.toString('hex')}`);
  return { first: toBytes(value & ~free), last: toBytes(value | free) };
}

function toBytes(value: bigint): Buffer {
  return Buffer.from(value.toString(16).padStart(ADDRESS_BITS / 4, '0'), 'hex');
}
