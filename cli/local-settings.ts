import type { Logger } from 'pino';
import { loadSettings, type Role } from '../src/platform/config/load.ts';
import type { Settings } from '../src/platform/config/settings.ts';
import { createLogger } from '../src/platform/process/log.ts';
import type { Input } from './command.ts';

/** Loads the settings of the service for a command on its machine. Prints warnings about their sources to the standard error. */
export function loadLocalSettings(
  { settingFlags, terminal }: Pick<Input, 'settingFlags' | 'terminal'>,
  role: Role = 'command',
): { readonly settings: Settings; readonly log: Logger } {
  const { env, cwd } = terminal;
  const { settings, warnings } = loadSettings({ argv: settingFlags, env, cwd, role, serves: false });
  for (const warning of warnings) terminal.error(`warning: ${warning}\n`);
  const log = createLogger({
    level: 'error',
    format: 'pretty',
    name: settings['app.name'],
    destination: { write: terminal.error },
  });
  return { settings, log };
}
