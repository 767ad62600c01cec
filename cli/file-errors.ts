// Errors of files in plain words.

/** The problem of a file, by the code of Node. */
const PROBLEMS: Readonly<Record<string, string>> = {
  EEXIST: 'exists already; name a file that does not exist yet',
  ENOENT: 'no such file or folder',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'is a folder; name a file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the disk',
};

/** Describes an error of a file. Returns undefined for other errors. */
export function describeFileError(error: unknown): string | undefined {
  const { code = '', path } = error as NodeJS.ErrnoException;
  const problem = PROBLEMS[code];
  return problem === undefined || path === undefined ? undefined : `${path}: ${problem}`;
}
