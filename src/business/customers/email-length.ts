import { ServiceError } from '../../platform/errors.ts';
import { fieldRule } from '../../platform/rpc/field-rule.ts';
import { emailKey } from './customer.ts';

const { min: MIN_EMAIL, max: MAX_EMAIL } = fieldRule('authservice.business.v1.CustomerFields.email');
/** The size of the column. Normalization can turn one character into several. */
const MAX_EMAIL_KEY_BYTES = 4 * MAX_EMAIL;

/** Throws VALIDATION_ERROR if the normalized e-mail address exceeds its column. */
export function assertFoldedLength(email: string | undefined): void {
  if (email === undefined || emailKey(email).length <= MAX_EMAIL_KEY_BYTES) return;
  const message = `must have ${MIN_EMAIL} to ${MAX_EMAIL} characters`;
  const params = { minimum: MIN_EMAIL, maximum: MAX_EMAIL };
  throw new ServiceError('VALIDATION_ERROR', { violations: [{ message, format: 'length', props: ['email'], params }] });
}
