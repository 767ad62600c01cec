import { DependencyUnavailableError } from '../errors.ts';

/** The error of a disk that is full, damaged or not writable. */
export function diskUnavailable(cause: unknown): DependencyUnavailableError {
  const { code = 'unknown' } = cause as NodeJS.ErrnoException;
  return new DependencyUnavailableError(`The disk of files failed (${code})`, { cause });
}
