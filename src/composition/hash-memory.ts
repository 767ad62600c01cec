import type { Settings } from '../platform/config/settings.ts';

/** The workers share the processors, so each gets a part of a limit. */
export function shareOfWorker(limit: number, settings: Pick<Settings, 'app.workers'>): number {
  return Math.ceil(limit / settings['app.workers']);
}

/** Returns the memory for the password hashes of one process, in bytes. */
export function maxHashMemoryBytes(settings: Settings): number {
  return shareOfWorker(settings['app.security.password.max-hash-memory-bytes'], settings);
}
