// The texts of --help and --version of the processes that serve.
import { readFileSync } from 'node:fs';
import { SETTING_NAMES, settingOf } from '../config/schema.ts';

const PACKAGE = new URL('../../../package.json', import.meta.url);

/** The programs that serve: gateway and core together (or the gateway alone), and the core alone. */
export type ServingRole = 'all' | 'core';

/** Returns the version of the program. */
export function programVersion(): string {
  return (JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string }).version;
}

/** Returns the text that an argument asks for: --help or --version. Returns undefined if none does. */
export function requestedText(role: ServingRole, argv: readonly string[]): string | undefined {
  if (argv.includes('--help') || argv.includes('-h')) return usage(role);
  return argv.includes('--version') ? `${programVersion()}\n` : undefined;
}

const STARTS: Readonly<Record<ServingRole, string>> = {
  all: `usage: authservice start [SETTINGS]     gateway and core in one process
       authservice dev [SETTINGS]       the same with app.env=DEV and demo accounts
       authservice gateway [SETTINGS]   a gateway for a separate core

In a clone of the project: npm start -- [SETTINGS], npm run dev -- [SETTINGS], npm run gateway -- [SETTINGS]`,
  core: `usage: authservice core [SETTINGS]   the core alone, over gRPC

In a clone of the project: npm run core -- [SETTINGS]`,
};

function usage(role: ServingRole): string {
  return `${STARTS[role]}

  --app.NAME=VALUE   a setting, with its value in the same argument
  --config FILE      a YAML file with settings (application.yaml, if it exists)
  --help             show this text
  --version          show the version

Settings come from their defaults, the file, environment variables (APP_HTTP_PORT) and flags; the last one wins.
docs/reference/settings.md explains each one. "authservice config print" shows the effective values.

SETTINGS and their defaults:
${settingLines(role).join('\n')}

exit code: 0 stopped in order, 1 the start failed or the stop was not in order, 78 invalid settings
`;
}

function settingLines(role: ServingRole): string[] {
  return SETTING_NAMES.filter((name) => role !== 'core' || settingOf(name).owner !== 'gateway').map((name) => {
    const { default: fallback } = settingOf(name);
    return `  ${name.padEnd(58)} ${typeof fallback === 'string' ? fallback : fallback.rule}`;
  });
}
