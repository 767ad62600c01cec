import type { SETTINGS } from './schema.ts';
import type { Setting } from './setting.ts';

type ValueOf<Declared> = Declared extends Setting<infer Value> ? Value : never;

/**
 * The effective settings by dotted name: `settings['app.http.port']` is a number. Durations are integer milliseconds. A
 * setting that is `none` is undefined; a list that is `none` is empty.
 */
export type Settings = { readonly [Name in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[Name]> };
