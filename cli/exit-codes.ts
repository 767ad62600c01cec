/** The exit codes of all commands. The command `isolation` documents its own. */
export const EXIT = { done: 0, failed: 1, usage: 2, credential: 3, unavailable: 4, interrupted: 130 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** What each exit code means, for the help and the documentation. */
export const EXIT_CODES: readonly (readonly [ExitCode, string])[] = [
  [EXIT.done, 'done'],
  [EXIT.failed, 'the command was refused or failed'],
  [EXIT.usage, 'invalid arguments or settings'],
  [EXIT.credential, 'no login, or the credential was refused'],
  [EXIT.unavailable, 'the core or the database is unreachable or unusable'],
  [EXIT.interrupted, 'ended by Ctrl-C'],
];
