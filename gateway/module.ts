// A module, as the gateway sees it. src/composition/module.ts is its part in the core.
import type { ServiceDefinition } from '../src/platform/rpc/types.ts';
import type { GatewaySettings } from './context.ts';
import type { SpecialMembers } from './contract/special-members.ts';
import type { RouteEntry } from './endpoint.ts';

/** A tag of the OpenAPI document. */
export interface Tag {
  readonly name: string;
  readonly description: string;
}

export interface GatewayModule {
  /** The packages of its protos: `authservice.business.v1`. */
  readonly packages: readonly string[];
  readonly services: readonly ServiceDefinition[];
  /** Its permissions, without prefix. The first one is an example in the OpenAPI document. */
  readonly permissions: readonly string[];
  /** Members of its responses whose JSON differs from the derived form. */
  readonly specialMembers: SpecialMembers;
  /** Continues the first sentence of the OpenAPI document. */
  readonly description: string;
  /** Its tags, in the order of the OpenAPI document. */
  readonly tags: readonly Tag[];
  /** Beginnings of its paths below `/api/v1`, in the order of the OpenAPI document. */
  readonly resources: readonly string[];
  isEnabled(settings: GatewaySettings): boolean;
  /** Returns the routes that its protos do not declare. */
  routes(settings: GatewaySettings): RouteEntry[];
}
