// Keys that sign tokens, and the encryption of secrets.
// Decides: which key signs now, which ones verify, and when the next one takes over (`rotation-schedule.ts`).
// States: a signing key is announced, then active, then retired but still verifies, then expired.
// Tables: secret_keys, signing_keys.
// Routes: /signing-keys, /signing-keys/rotate, /.well-known/jwks.json.
import {
  KeyServiceService,
  SigningKeyState,
  type ListSigningKeysRequest,
  type ListSigningKeysResponse,
  type RotateSigningKeyRequest,
  type RotateSigningKeyResponse,
  type SigningKey,
} from '../../../proto/gen/authservice/key/v1/key_service.ts';
import { enumNames } from '../../platform/formats/enum-names.ts';
import { listPageInfo, listPageOf, SHORT_LIST, sliceOf } from '../../platform/rpc/paging.ts';
import { implement, type Service } from '../../platform/rpc/service.ts';
import type { Call, Principal } from '../access/principal.ts';
import type { AuditLog } from '../audit/trail/audit-log.ts';
import type { SigningKeyDescription, SigningKeys } from './signing-keys.ts';

/** KeyService.ListSigningKeys. */
export function createListSigningKeys({ keys }: { readonly keys: Pick<SigningKeys, 'list'> }) {
  return async (request: ListSigningKeysRequest, call: Call): Promise<ListSigningKeysResponse> => {
    const page = listPageOf(request, call, SHORT_LIST);
    const shown = sliceOf(await keys.list(), page);
    return { keys: shown.items.map(signingKeyMessage), page: listPageInfo(page, shown) };
  };
}

const STATE = enumNames(SigningKeyState, 'SIGNING_KEY_STATE_');

/**
 * Converts a signing key to its proto message. Hides the end date of a key that still signs, although it is known once
 * there is a successor.
 */
function signingKeyMessage(key: SigningKeyDescription): SigningKey {
  const { kid, algorithm, state, createdAt, signsFrom, verifiesUntil } = key;
  return {
    kid,
    algorithm,
    state: STATE.valueOf(state),
    createdAt: new Date(createdAt),
    signsFrom: new Date(signsFrom),
    ...(state === 'RETIRED' && verifiesUntil !== undefined && { verifiesUntil: new Date(verifiesUntil) }),
  };
}

export interface RotateSigningKeyDependencies {
  readonly keys: SigningKeys;
  readonly audit: Pick<AuditLog, 'commit'>;
}

/** KeyService.RotateSigningKey. */
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

export type KeyHandlers = ReturnType<typeof keyHandlers>;

/** The RPCs of KeyService. */
export function keyHandlers(dependencies: RotateSigningKeyDependencies) {
  return {
    listSigningKeys: createListSigningKeys(dependencies),
    rotateSigningKey: createRotateSigningKey(dependencies),
    getJsonWebKeySet: async () => ({ json: JSON.stringify(await dependencies.keys.jsonWebKeySet()) }),
  };
}

export function keyService(handlers: KeyHandlers): Service<Principal> {
  return implement(KeyServiceService, handlers, { unavailable: 'AUTHENTICATION_SERVICE_UNAVAILABLE' });
}
