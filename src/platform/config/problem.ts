import type { Raw } from './kinds.ts';
import type { SettingName } from './schema.ts';

/** A problem of the configuration. Never contains a value, which could be a misplaced secret. */
export interface Problem {
  /** The setting, or the unknown key, flag or variable. */
  readonly name: string;
  /** The source: `file application.yaml:4`, `environment APP_HTTP_PORT`, `flag --app.http.port`, `not set`. */
  readonly source: string;
  /** The problem and its solution. */
  readonly message: string;
}

/**
 * Returns a key that a message may contain. A text that does not look like a name may be a misplaced value and is
 * masked.
 */
export function safeName(key: string): string {
  return /^[\p{L}\p{N}._-]{0,100}/u.exec(key)![0];
}

/** A value that a source gives to a setting. */
export interface Assignment {
  readonly name: SettingName;
  readonly raw: Raw;
  readonly source: string;
}

/** The result of reading one source. */
export interface SourceReading {
  readonly assignments: readonly Assignment[];
  readonly problems: readonly Problem[];
}

/** The configuration is invalid. The message lists all problems, and a hint if one concerns several of them. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[], hint?: string) {
    const lines = problems.map((problem) => `  ${problem.name}: ${problem.message} (${problem.source})`);
    const count = problems.length === 1 ? 'a problem' : `${problems.length} problems`;
    super([`The configuration has ${count}:`, ...lines, ...(hint === undefined ? [] : [hint])].join('\n'));
    this.problems = problems;
  }
}
