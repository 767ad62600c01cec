import type { DescMethod } from '../../src/platform/rpc/contract/descriptors.ts';

/**
 * Whether an endpoint is about business records. Clients may store and revalidate its responses. Its request bodies may contain
 * read-only members of the response, and null means the default value. Administrative endpoints differ: their responses have
 * `no-store`, their bodies only writable members, and all their creations a Location.
 */
export function isAboutRecords({ parent }: DescMethod): boolean {
  return parent.typeName.startsWith('authservice.business.v1.');
}
