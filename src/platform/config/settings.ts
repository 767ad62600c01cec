import type { SETTINGS, SettingName } from './schema.ts';
import type { Owner, Setting } from './setting.ts';

type ValueOf<Declared> = Declared extends Setting<infer Value> ? Value : never;

/**
 * The effective settings by dotted name: `settings['app.http.port']` is a number. Durations are integer milliseconds. A
 * setting that is `none` is undefined; a list that is `none` is empty.
 */
export type Settings = { readonly [Name in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[Name]> };

/** The settings that are not of the core alone. */
export type GatewaySettings = Omit<Settings, NamesOf<'core'>>;

type NamesOf<By extends Owner> = {
  [Name in SettingName]: (typeof SETTINGS)[Name]['owner'] extends By ? Name : never;
}[SettingName];
