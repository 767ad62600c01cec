import type { LoadedSettings } from './load.ts';
import { SETTING_NAMES, settingOf } from './schema.ts';

/** Quotes what YAML would not read back as the same text. */
function yamlText(value: string): string {
  return /^[A-Za-z0-9/_][\w ./:@?=&,+*-]*$/.test(value) && !/: |[: ]$/.test(value) ? value : JSON.stringify(value);
}

/** The effective settings as YAML with flat keys, secrets masked, each with where it came from. */
export function printSettings({ settings, origins }: Pick<LoadedSettings, 'settings' | 'origins'>): string {
  const lines = SETTING_NAMES.map((name) => {
    const value = yamlText(settingOf(name).kind.show(settings[name]));
    return `${`${name}: ${value}`.padEnd(63)} # ${origins[name]}\n`;
  });
  return lines.join('');
}
