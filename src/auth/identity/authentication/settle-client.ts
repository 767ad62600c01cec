// Ends the authentication of a client: counts its outcome, and records it in the audit log.
import { isOver } from '../../../platform/clock.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { AuditContext, AuditEvent, AuditLog } from '../../audit/trail/audit-log.ts';

export interface ClientAdmission {
  /**
   * Called after the check and before the outcome is recorded. Rejects if the rate limit for this outcome is exceeded.
   * Then the outcome is neither recorded nor returned. The returned function is called if a grant could not be recorded,
   * so that it does not count, unless its caller disconnected.
   */
  readonly admit: (outcome: 'grant' | 'refusal') => Promise<() => void>;
  /** Runs `record` if this success must be recorded in the audit log. Default: every success is recorded. */
  readonly recordGrant?: (credentialId: string, record: () => Promise<void>) => Promise<void>;
}

/** A client, as audit records name it. */
type Subject = Pick<AuditEvent, 'tenantId' | 'accountId' | 'username' | 'details'>;

interface OutcomeOptions {
  readonly audit: Pick<AuditLog, 'record' | 'refuse'>;
  readonly context: AuditContext;
  readonly admission: ClientAdmission;
}

/** Rejects with INVALID_CLIENT, or with TOO_MANY_REQUESTS. */
export async function refuseClient(
  { audit, context, admission }: OutcomeOptions,
  { details, ...subject }: Subject,
  { reason, detail }: { readonly reason: string; readonly detail: string },
): Promise<never> {
  await admission.admit('refusal');
  audit.refuse(context, { event: 'client.authentication-failed', ...subject, details: { ...details, reason } });
  throw new ServiceError('INVALID_CLIENT', { detail: `Client authentication failed: ${detail}` });
}

/**
 * Records a success. Rejects with TOO_MANY_REQUESTS.
 *
 * @param credentialId The secret or the key of the client.
 */
export async function admitClient(
  { audit, context, admission }: OutcomeOptions,
  subject: Subject,
  credentialId: string,
): Promise<void> {
  const { admit, recordGrant = always } = admission;
  const giveBack = await admit('grant');
  try {
    await recordGrant(credentialId, () => audit.record(context, { event: 'client.authenticated', ...subject }));
  } catch (error) {
    // A caller that no longer waits counts. Otherwise the limit would not hold for one that always disconnects or sets a short deadline.
    if (!isOver(context.deadline)) giveBack();
    throw error;
  }
}

const always: NonNullable<ClientAdmission['recordGrant']> = (_credentialId, record) => record();
