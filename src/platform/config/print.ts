import type { LoadedSettings } from './load.ts';
import { SETTING_NAMES, settingOf } from './schema.ts';

/** Quotes a text if YAML would not read it back unchanged. */
function yamlText(value: string): string {
  return /^[A-Za-z0-9/_][\w ./:@?=&,+*-]*$/.test(value) && !/: |[: ]$/.test(value) ? value : JSON.stringify(value);
}

/** Returns the effective settings with masked secrets, and the source of each value. */
export function shownSettings({ settings, origins }: Pick<LoadedSettings, 'settings' | 'origins'>) {
  return SETTING_NAMES.map((name) => ({
    name,
    value: settingOf(name).kind.show(settings[name]),
    source: origins[name],
  }));
}

/** Returns the effective settings as YAML with flat keys, masked secrets, and the source of each value. */
export function printSettings(loaded: Pick<LoadedSettings, 'settings' | 'origins'>): string {
  const lines = shownSettings(loaded).map(
    ({ name, value, source }) => `${`${name}: ${yamlText(value)}`.padEnd(63)} # ${source}\n`,
  );
  return lines.join('');
}
