import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

/** An address of a host. */
export interface HostAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Returns all addresses of a host name; none if it has none. Throws when the name servers do not answer. */
export type ResolveHost = (host: string) => Promise<readonly HostAddress[]>;

const TRY_MS = 2_000;
const TRIES = 2;

/** "localhost" never reaches a name server (RFC 6761 section 6.3). */
const LOOPBACK: readonly HostAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** The name has no address of this family. */
const NO_ADDRESS: ReadonlySet<string | undefined> = new Set(['ENODATA', 'ENOTFOUND']);

/**
 * Asks the name servers directly. getaddrinfo() would need a thread of the pool that hashes passwords, for as long as a server of
 * a tenant's domain does not answer.
 */
export function createResolveHost(): ResolveHost {
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
  const ask = async (query: Promise<readonly string[]>, family: 4 | 6): Promise<readonly HostAddress[]> => {
    try {
      return (await query).map((address) => ({ address, family }));
    } catch (error) {
      if (NO_ADDRESS.has((error as NodeJS.ErrnoException).code)) return [];
      throw error;
    }
  };
  return async (host) => {
    const family = isIP(host);
    if (family !== 0) return [{ address: host, family: family as 4 | 6 }];
    if (/^(?:.*\.)?localhost\.?$/i.test(host)) return LOOPBACK;
    // One family is enough if the name servers do not answer for the other.
    const both = await Promise.allSettled([ask(resolver.resolve4(host), 4), ask(resolver.resolve6(host), 6)]);
    const found = both.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    const failed = both.find((result) => result.status === 'rejected');
    if (found.length === 0 && failed) throw failed.reason;
    return found;
  };
}
