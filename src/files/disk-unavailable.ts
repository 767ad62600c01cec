import { DependencyUnavailableError } from '../errors.ts';

/** The disk is full, broken, or not ours to write. */
export function diskUnavailable(cause: unknown): DependencyUnavailableError {
  const { code = 'unknown' } = cause as NodeJS.ErrnoException;
  return new DependencyUnavailableError(`The disk of files failed (${code})`, { cause });
}
