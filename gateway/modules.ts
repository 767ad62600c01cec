import { SHOP } from './business/module.ts';
import { addServices } from './clients.ts';
import type { GatewaySettings } from './context.ts';
import { addSpecialMembers } from './contract/special-members.ts';
import type { GatewayModule } from './module.ts';

/** All modules of this project. To add one, add it here and in src/composition/modules.ts. */
export const MODULES: readonly GatewayModule[] = [SHOP];

// Those of modules that the settings leave out, too: what is derived is kept for the process.
for (const { services, specialMembers } of MODULES) {
  addServices(services);
  addSpecialMembers(specialMembers);
}

/** Returns the modules that the settings do not leave out. */
export function enabledModules(settings: GatewaySettings): readonly GatewayModule[] {
  return MODULES.filter((module) => module.isEnabled(settings));
}
