// ExplainCredential: shows administrators why a credential is accepted or rejected.
import {
  CredentialCheckKind,
  type CredentialCheck,
  type ExplainCredentialRequest,
  type ExplainCredentialResponse,
} from '../../../../proto/gen/authservice/identity/v1/identity_service.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { Call } from '../../access/principal.ts';
import type { Check, Explain } from './credential-check.ts';
import { getAdminScope } from '../users/administrator.ts';

/** The explainer of each kind of credential. The service that checks the credential provides it. */
export type Explainers = Readonly<Record<NonNullable<ExplainCredentialRequest['credential']>['$case'], Explain>>;

/** IdentityService.ExplainCredential. */
export function createExplainCredential({ explainers }: { readonly explainers: Explainers }) {
  return async ({ credential }: ExplainCredentialRequest, call: Call): Promise<ExplainCredentialResponse> => {
    const { $case, value } = presentedCredential(credential);
    const { checks, owner, clientId, grantId } = await explainers[$case](value, getAdminScope(call.principal!));
    return {
      accepted: checks.every(({ passed }) => passed),
      checks: checks.map(checkMessage),
      ...(owner && { accountId: owner.id }),
      ...(owner?.tenantId !== undefined && { tenantId: owner.tenantId }),
      ...(clientId !== undefined && { clientId }),
      ...(grantId !== undefined && { grantId }),
    };
  };
}

function checkMessage({ kind, at, ...check }: Check): CredentialCheck {
  const message = { ...check, kind: CredentialCheckKind[`CREDENTIAL_CHECK_KIND_${kind}`] };
  return at === undefined ? message : { ...message, at: new Date(at) };
}

interface PresentedCredential {
  readonly $case: string;
  readonly value: string;
}

/** Returns the credential of a request. Throws VALIDATION_ERROR if it is missing or empty. */
function presentedCredential<Credential extends PresentedCredential>(credential: Credential | undefined): Credential {
  if (credential && credential.value !== '') return credential;
  const violation = { message: 'is required', format: 'required', props: [credential?.$case ?? 'credential'] };
  throw new ServiceError('VALIDATION_ERROR', { publicMessage: 'A credential is missing', violations: [violation] });
}
