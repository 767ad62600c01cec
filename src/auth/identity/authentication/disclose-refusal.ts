// How minimal disclosure shows the refusals of users.
import { ServiceError, type ReasonName } from '../../../platform/errors.ts';
import { CATALOGUE } from '../../../platform/problem/catalogue.ts';

export type Disclosure = 'maximal' | 'minimal';

/** Whether the reason refuses a user: its credentials, or its account. An outage does not. */
export function refusesUser(reason: ReasonName): boolean {
  return CATALOGUE[reason].refusedLogin === true;
}

/**
 * Returns the error that a caller gets: under minimal disclosure, the same bad-credentials error for all refusals of a user.
 *
 * @param isNamed Refusals that minimal disclosure does not hide.
 */
export function discloseRefusal(
  error: unknown,
  disclosure: Disclosure,
  isNamed: (reason: ReasonName) => boolean = () => false,
): unknown {
  const isHidden =
    disclosure === 'minimal' && error instanceof ServiceError && refusesUser(error.reason) && !isNamed(error.reason);
  return isHidden ? new ServiceError('BAD_CREDENTIALS', { cause: error }) : error;
}

/**
 * Creates a function that returns a handler with disclosed refusals. It is for logged-in users who prove themselves again. Their
 * problem documents hide a lock in both profiles, so direct callers do not see it either.
 */
export function createDiscloseRefusals({ disclosure }: { readonly disclosure: Disclosure }) {
  return <Input extends unknown[], Output>(handle: (...input: Input) => Promise<Output>) =>
    async (...input: Input): Promise<Output> => {
      try {
        return await handle(...input);
      } catch (error) {
        throw discloseRefusal(error, disclosure);
      }
    };
}
