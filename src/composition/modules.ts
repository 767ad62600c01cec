import type { Settings } from '../platform/config/settings.ts';
import type { BuiltInModule, Module } from './module.ts';
import { SHOP } from './shop.ts';

/** All modules of this project. To add one, add it here and in gateway/modules.ts. */
export const MODULES: readonly BuiltInModule[] = [SHOP];

/** Returns the modules that the settings do not leave out. */
export function enabledModules(settings: Settings): readonly Module[] {
  return MODULES.filter((module) => module.isEnabled(settings));
}
