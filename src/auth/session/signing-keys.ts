import {
  SigningKeyState,
  type ListSigningKeysRequest,
  type ListSigningKeysResponse,
  type SigningKey,
} from '../../../proto/gen/authservice/session/v1/session_service.ts';
import { enumNames } from '../../platform/formats/enum-names.ts';
import { listPageInfo, listPageOf, SHORT_LIST, sliceOf } from '../../platform/rpc/paging.ts';
import type { Call } from '../../platform/rpc/types.ts';
import type { SigningKeyDescription, SigningKeys } from '../token/signing-keys.ts';

/** SessionService.ListSigningKeys. */
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
export function signingKeyMessage(key: SigningKeyDescription): SigningKey {
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
