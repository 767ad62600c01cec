// The limits of failed logins and malformed refresh credentials, as the settings app.security.login.rate-limit.* say.
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Settings } from '../config/settings.ts';
import type { Database } from '../db/types.ts';
import { openRateLimit } from '../rate-limit/rate-limit.ts';
import { createFailureLimits, type FailureLimits } from '../session/failure-limit.ts';

export interface OpenFailureLimits {
  readonly failureLimits: FailureLimits;
  close(): Promise<void>;
}

export function openFailureLimits(options: {
  readonly settings: Settings;
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Logger;
}): OpenFailureLimits {
  const { settings, database, clock, log } = options;
  const limit = openRateLimit({
    name: 'login',
    store: settings['app.security.login.rate-limit.store'],
    points: settings['app.security.login.rate-limit.points'],
    windowMs: settings['app.security.login.rate-limit.window'],
    database,
    clock,
    log,
  });
  return {
    failureLimits: createFailureLimits({ limit, clock, log }),
    close: async () => limit?.close(),
  };
}
