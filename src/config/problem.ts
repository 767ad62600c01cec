import type { Raw } from './kinds.ts';
import type { SettingName } from './schema.ts';

/** One thing that is wrong with the configuration. Never carries a value: it could be a secret in the wrong place. */
export interface Problem {
  /** The setting, or the key, flag or variable that is none. */
  readonly name: string;
  /** Where it came from: `file application.yaml:4`, `environment APP_HTTP_PORT`, `flag --app.http.port`, `default`. */
  readonly source: string;
  /** What is wrong and what would do. */
  readonly message: string;
}

/** A key as it may be repeated in a message: what does not look like a name may be a value in the wrong place. */
export function safeName(key: string): string {
  return /^[\p{L}\p{N}._-]{0,100}/u.exec(key)![0];
}

/** One value that one source gives to a setting. */
export interface Assignment {
  readonly name: SettingName;
  readonly raw: Raw;
  readonly source: string;
}

/** What one source says. */
export interface SourceReading {
  readonly assignments: readonly Assignment[];
  readonly problems: readonly Problem[];
}

/** The configuration cannot be used; the message lists all problems. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    const lines = problems.map((problem) => `  ${problem.name}: ${problem.message} (${problem.source})`);
    const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
    super(`The configuration has ${count}:\n${lines.join('\n')}`);
    this.problems = problems;
  }
}
