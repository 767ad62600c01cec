// Private members of libraries and of Node, which another version may not have. What uses them is then left out, or done in the
// library's own way, so that a security release can be installed at once.

/** Names of libraries and of what is lost without their members. */
export interface PrivateUse {
  /** `mysql2` for example. */
  readonly library: string;
  /** What happens without the members, as the end of a sentence. */
  readonly without: string;
}

const reported = new Set<PrivateUse>();

/** Returns an object with its private members. If one is missing, returns undefined and emits a warning, once for each use in a process. */
export function privateMembers<Members extends object>(
  owner: unknown,
  names: readonly (keyof Members & string)[],
  use: PrivateUse,
): Members | undefined {
  const missing = names.filter((name) => (owner as Partial<Members> | null)?.[name] === undefined);
  if (missing.length === 0) return owner as Members;
  if (!reported.has(use)) {
    reported.add(use);
    const message = `This version of ${use.library} has no member ${missing.join(', ')}: ${use.without}`;
    process.emitWarning(message, { type: 'PrivateMemberWarning' });
  }
  return undefined;
}
