import { ServiceError } from '../../../platform/errors.ts';

interface PresentedCredential {
  readonly $case: string;
  readonly value: string;
}

/** Returns the credential of a request. Throws VALIDATION_ERROR if it is missing or empty. */
export function presentedCredential<Credential extends PresentedCredential>(
  credential: Credential | undefined,
): Credential {
  if (credential && credential.value !== '') return credential;
  const violation = { message: 'is required', format: 'required', props: [credential?.$case ?? 'credential'] };
  throw new ServiceError('VALIDATION_ERROR', { publicMessage: 'A credential is missing', violations: [violation] });
}
