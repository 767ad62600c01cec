import { ConfigurationError, loadSettings } from '../src/config/load.ts';
import { printSettings } from '../src/config/print.ts';
import type { Terminal } from './terminal.ts';

/** Runs `config print [flags]`: prints the effective settings of a process with these flags. Returns the exit code. */
export function configPrint(flags: readonly string[], terminal: Terminal): number {
  try {
    const loaded = loadSettings({ argv: flags, env: terminal.env, cwd: terminal.cwd });
    terminal.out(printSettings(loaded));
    for (const warning of loaded.warnings) terminal.error(`warning: ${warning}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    terminal.error(`${error.message}\n`);
    return 1;
  }
}
