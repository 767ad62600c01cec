import type { PasswordHasher } from './password-hasher.ts';
import type { Tracer } from '../../../platform/tracing/tracer.ts';

/** Records spans for password hashes: the wait for a place, and the hash itself. */
export function traceHasher(hasher: PasswordHasher, tracer: Tracer): PasswordHasher {
  return {
    ...hasher,
    hash: (password, requester) => tracer.trace('hash password', {}, () => hasher.hash(password, requester)),
    runLimited(requester, passwordHash, work) {
      if (tracer.current() === undefined) return hasher.runLimited(requester, passwordHash, work);
      const wait = tracer.start('wait for password hash');
      let waiting = true;
      const endWait = (error?: string) => {
        if (waiting) wait.end(error);
        waiting = false;
      };
      return hasher
        .runLimited(requester, passwordHash, (verify) => {
          endWait();
          return work((hash, password) => tracer.trace('verify password', {}, () => verify(hash, password)));
        })
        .finally(() => endWait('not started'));
    },
  };
}
