// A module, as the gateway sees it. src/composition/module.ts is its part in the core.
import type { GatewaySettings } from './context.ts';
import type { RouteEntry } from './endpoint.ts';

export interface GatewayModule {
  /** The packages of its protos: `authservice.business.v1`. */
  readonly packages: readonly string[];
  isEnabled(settings: GatewaySettings): boolean;
  /** Returns the routes that its protos do not declare. */
  routes(settings: GatewaySettings): RouteEntry[];
}
