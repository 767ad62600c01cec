// The command line of this service, which is an application of its own. Nobody changes it. Its row, written by the migration, is like
// that of another application, so lists, grants and the check of names know it. Only the settings are not in it.
import type { Application } from './application.ts';

/** The id that migration 0068 gives it. */
export const COMMAND_LINE_ID = '00000000-0000-7000-8000-000000000001';

/** What the settings say about it. */
export interface CommandLineRules {
  /** Whether there is one: `app.oauth.cli`. */
  readonly hasCommandLine: boolean;
  /** The audience of this service's own access tokens. */
  readonly audience: string;
}

/** Returns an application by the settings: undefined for the command line if it is switched off. */
export type WithSettings = <Found extends Pick<Application, 'id' | 'resources'>>(
  application: Found,
) => Found | undefined;

export function createWithSettings({ hasCommandLine, audience }: CommandLineRules): WithSettings {
  return (application) => {
    if (!isCommandLine(application)) return application;
    return hasCommandLine ? { ...application, resources: [audience] } : undefined;
  };
}

export function isCommandLine({ id }: Pick<Application, 'id'>): boolean {
  return id === COMMAND_LINE_ID;
}
