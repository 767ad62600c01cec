// All settings in one table. To add a setting, add an entry to the file of its area.
import { BRAND_SETTINGS } from './schema/brand.ts';
import { MAIL_SETTINGS } from './schema/mail.ts';
import { NETWORK_SETTINGS } from './schema/network.ts';
import { OAUTH_SETTINGS } from './schema/oauth.ts';
import { SECURITY_SETTINGS } from './schema/security.ts';
import { SERVICE_SETTINGS } from './schema/service.ts';
import { TRACING_SETTINGS } from './schema/tracing.ts';
import type { Setting } from './setting.ts';

export const SETTINGS = {
  ...SERVICE_SETTINGS,
  ...NETWORK_SETTINGS,
  ...SECURITY_SETTINGS,
  ...BRAND_SETTINGS,
  ...MAIL_SETTINGS,
  ...OAUTH_SETTINGS,
  ...TRACING_SETTINGS,
};

/** A setting's dotted name. */
export type SettingName = keyof typeof SETTINGS;

/** All names, in the order of the documentation. */
export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];

/** Returns a setting without the type of its value. */
export function settingOf(name: SettingName): Setting<unknown> {
  return SETTINGS[name];
}

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(SETTINGS, name);
}

/** The environment variable of a setting: `app.http.port` is `APP_HTTP_PORT`. */
export function environmentName(name: SettingName): string {
  return name.toUpperCase().replaceAll(/[.-]/g, '_');
}
