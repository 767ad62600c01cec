import type { DescMethod } from '../../src/rpc/contract/descriptors.ts';

/**
 * Whether an endpoint is about business records: clients may keep a response and ask whether it still holds, a body may have what
 * a response has shown, and null stands for a default. Responses of administration are never stored, and its bodies have no more
 * members than can be set; each of its creations has a Location.
 */
export function isAboutRecords({ parent }: DescMethod): boolean {
  return parent.typeName.startsWith('authservice.business.v1.');
}
