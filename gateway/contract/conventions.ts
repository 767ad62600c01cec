// How the endpoints of a service behave, beside what its protos say.
import type { DescMethod } from '../../src/rpc/contract/descriptors.ts';

export interface Conventions {
  /** The resource that the operations are about: a tag of the OpenAPI document. */
  readonly tag: string;
  /**
   * Whether the endpoints are about business records: clients may keep a response and ask whether it still holds, a body may have
   * what a response has shown, and null stands for a default. Other responses are never stored, and other bodies have no more
   * members than can be set.
   */
  readonly isAboutRecords: boolean;
}

const CONVENTIONS: Readonly<Record<string, Conventions>> = {
  ProductService: { tag: 'Products', isAboutRecords: true },
  OrderService: { tag: 'Orders', isAboutRecords: true },
  CustomerService: { tag: 'Customers', isAboutRecords: true },
  DashboardService: { tag: 'Dashboard', isAboutRecords: true },
  ReferenceDataService: { tag: 'Reference data', isAboutRecords: true },
  ApiKeyService: { tag: 'API keys', isAboutRecords: false },
};

/** The conventions of an RPC's service. Throws if the service has none. */
export function conventionsOf({ parent }: DescMethod): Conventions {
  const conventions = CONVENTIONS[parent.name];
  if (conventions === undefined) throw new Error(`The gateway has no conventions for ${parent.name}`);
  return conventions;
}
