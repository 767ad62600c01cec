import type {
  RotateSigningKeyRequest,
  RotateSigningKeyResponse,
} from '../../../proto/gen/authservice/session/v1/session_service.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Call } from '../../platform/rpc/types.ts';
import type { SigningKeys } from '../token/signing-keys.ts';
import { signingKeyMessage } from './signing-keys.ts';

export interface RotateSigningKeyDependencies {
  readonly keys: SigningKeys;
  readonly audit: Pick<AuditLog, 'commit'>;
}

/** SessionService.RotateSigningKey. */
export function createRotateSigningKey({ keys, audit }: RotateSigningKeyDependencies) {
  return async (_: RotateSigningKeyRequest, call: Call): Promise<RotateSigningKeyResponse> => {
    const rotate = await keys.prepareRotation();
    const key = await audit.commit(call, async (tx, record) => {
      const added = await rotate(tx);
      const { kid, algorithm, signsFrom } = added;
      const details = { kid, algorithm, signsFrom: new Date(signsFrom).toISOString() };
      record({ event: 'signing-key.rotated', tenantId: undefined, actorId: call.principal!.account.id, details });
      return added;
    });
    // This process publishes the key at once, the others within a minute. The rotation is already committed, so reading
    // the keys again must not fail the call.
    keys.invalidate();
    return { key: signingKeyMessage(key) };
  };
}
