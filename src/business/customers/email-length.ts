import { ServiceError } from '../../errors.ts';
import { wrongLength } from '../../request-check.ts';
import { emailKey } from './customer.ts';

const MIN_EMAIL = 3;
const MAX_EMAIL = 320;
/** What the column holds. Normalisation makes a few characters several. */
const MAX_EMAIL_KEY_BYTES = 4 * MAX_EMAIL;

/** Throws VALIDATION_ERROR if an e-mail address grows beyond its column when it is folded for comparison. */
export function assertFoldedLength(email: string | undefined): void {
  if (email === undefined || emailKey(email).length <= MAX_EMAIL_KEY_BYTES) return;
  const violations = [wrongLength('email', MIN_EMAIL, MAX_EMAIL)];
  throw new ServiceError('VALIDATION_ERROR', { violations });
}
