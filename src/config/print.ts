import type { LoadedSettings } from './load.ts';
import { SETTING_NAMES, settingOf } from './schema.ts';

/** Quotes a text if YAML would not read it back unchanged. */
function yamlText(value: string): string {
  return /^[A-Za-z0-9/_][\w ./:@?=&,+*-]*$/.test(value) && !/: |[: ]$/.test(value) ? value : JSON.stringify(value);
}

/** Returns the effective settings as YAML with flat keys, masked secrets, and the source of each value. */
export function printSettings({ settings, origins }: Pick<LoadedSettings, 'settings' | 'origins'>): string {
  const lines = SETTING_NAMES.map((name) => {
    const value = yamlText(settingOf(name).kind.show(settings[name]));
    return `${`${name}: ${value}`.padEnd(63)} # ${origins[name]}\n`;
  });
  return lines.join('');
}
