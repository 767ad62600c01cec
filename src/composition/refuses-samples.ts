import type { Settings } from '../config/settings.ts';

/** Whether passwords and client secrets that this project publishes are refused. */
export function refusesSamples(settings: Pick<Settings, 'app.env'>): boolean {
  return settings['app.env'] === 'PROD';
}
