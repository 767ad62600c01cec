// Keys that sign tokens, and the encryption of secrets.
// Decides: which key signs now, which ones verify, and when the next one takes over (`rotation-schedule.ts`).
// States: a signing key is announced, then active, then retired but still verifies, then expired. Access tokens have a chain of keys, and
// ID tokens another one, with a table of its own (migration 0070).
// Tables: id_signing_keys, secret_keys, signing_keys.
// Routes: /signing-keys, /signing-keys/rotate, /signing-keys/:kid/revoke, /.well-known/jwks.json.
import {
  KeyServiceService,
  SigningKeyChain,
  SigningKeyState,
  type GetJsonWebKeySetResponse,
  type ListSigningKeysRequest,
  type ListSigningKeysResponse,
  type RevokeSigningKeyRequest,
  type RevokeSigningKeyResponse,
  type RotateSigningKeyRequest,
  type RotateSigningKeyResponse,
  type SigningKey,
} from '../../../proto/gen/authservice/key/v1/key_service.ts';
import type { Deadline } from '../../platform/clock.ts';
import type { Statements } from '../../platform/db/types.ts';
import { ServiceError } from '../../platform/errors.ts';
import { enumNames } from '../../platform/formats/enum-names.ts';
import { listPageInfo, listPageOf, SHORT_LIST, sliceOf } from '../../platform/rpc/paging.ts';
import { implement, loadThenHandle, type Service } from '../../platform/rpc/service.ts';
import type { Call, Principal } from '../access/principal.ts';
import type { AuditLog } from '../audit/trail/audit-log.ts';
import type { KeyChain } from './key-store.ts';
import type { SigningKeyDescription, SigningKeys } from './signing-keys.ts';
import { refusal } from '../access/refusals.ts';

/** The keys of each chain. */
export interface KeyChains {
  readonly ACCESS: SigningKeys;
  readonly ID: SigningKeys | undefined;
}

export interface KeyDependencies {
  readonly chains: KeyChains;
  readonly audit: Pick<AuditLog, 'commit'>;
  /** Refuses the access tokens of a key from now on, in all processes. */
  readonly revokeTokensOf: (tx: Statements, kid: string, longestTokenMs: number, deadline: Deadline) => Promise<void>;
}

/** Returns the chains that are in use. */
const inUse = ({ ACCESS, ID }: KeyChains): readonly SigningKeys[] => (ID ? [ACCESS, ID] : [ACCESS]);

/** KeyService.ListSigningKeys. */
function createListSigningKeys({ chains }: Pick<KeyDependencies, 'chains'>) {
  return async (request: ListSigningKeysRequest, call: Call): Promise<ListSigningKeysResponse> => {
    const page = listPageOf(request, call, SHORT_LIST);
    const keys = await Promise.all(inUse(chains).map((chain) => chain.list()));
    const newestFirst = keys.flat().toSorted((one, other) => other.createdAt - one.createdAt);
    const shown = sliceOf(newestFirst, page);
    return { keys: shown.items.map(signingKeyMessage), page: listPageInfo(page, shown) };
  };
}

const STATE = enumNames(SigningKeyState, 'SIGNING_KEY_STATE_');
const CHAIN = enumNames(SigningKeyChain, 'SIGNING_KEY_CHAIN_');

/**
 * Converts a signing key to its proto message. Hides the end date of a key that still signs, although it is known once
 * there is a successor.
 */
function signingKeyMessage(key: SigningKeyDescription): SigningKey {
  const { kid, algorithm, state, createdAt, signsFrom, verifiesUntil, chain } = key;
  return {
    kid,
    algorithm,
    state: STATE.valueOf(state),
    createdAt: new Date(createdAt),
    signsFrom: new Date(signsFrom),
    ...(state === 'RETIRED' && verifiesUntil !== undefined && { verifiesUntil: new Date(verifiesUntil) }),
    chain: CHAIN.valueOf(chain),
  };
}

/** KeyService.RotateSigningKey. */
export function createRotateSigningKey({ chains, audit }: Pick<KeyDependencies, 'chains' | 'audit'>) {
  return async ({ chain }: RotateSigningKeyRequest, call: Call): Promise<RotateSigningKeyResponse> => {
    const rotated = selectChains(chains, CHAIN.nameOf(chain ?? SigningKeyChain.SIGNING_KEY_CHAIN_UNSPECIFIED));
    const rotations = await Promise.all(rotated.map((keys) => keys.prepareRotation()));
    const added = await audit.commit(call, async (tx, record) => {
      const keys: SigningKeyDescription[] = [];
      for (const rotate of rotations) {
        const key = await rotate(tx);
        const { kid, algorithm, signsFrom } = key;
        const details = { chain: key.chain, kid, algorithm, signsFrom: new Date(signsFrom).toISOString() };
        record({ event: 'signing-key.rotated', tenantId: undefined, actorId: call.principal!.account.id, details });
        keys.push(key);
      }
      return keys;
    });
    // This process publishes the keys at once, the others within a minute. The rotation is already committed, so reading
    // the keys again must not fail the call.
    for (const keys of rotated) keys.invalidate();
    return { key: signingKeyMessage(added[0]!) };
  };
}

/** KeyService.RevokeSigningKey. */
function createRevokeSigningKey({ chains, audit, revokeTokensOf }: KeyDependencies) {
  const findRevocation = async (kid: string) => {
    for (const keys of inUse(chains)) {
      const revoke = await keys.prepareRevocation(kid);
      if (revoke) return { keys, revoke };
    }
    throw new ServiceError('NOT_FOUND');
  };

  return loadThenHandle(
    ({ kid }: RevokeSigningKeyRequest) => findRevocation(kid),
    async ({ kid }, call, { keys, revoke }): Promise<RevokeSigningKeyResponse> => {
      const { signer } = await audit.commit(call, async (tx, record) => {
        const revoked = await revoke(tx);
        const { chain } = revoked.signer;
        if (chain === 'ACCESS') await revokeTokensOf(tx, kid, keys.longestTokenMs, call.deadline);
        const details = { chain, kid, ...(revoked.replaced && { replacedBy: revoked.signer.kid }) };
        record({ event: 'signing-key.revoked', tenantId: undefined, actorId: call.principal!.account.id, details });
        return revoked;
      });
      keys.invalidate();
      return { key: signingKeyMessage(signer) };
    },
  );
}

/** Returns the keys of a chain, or of all chains in use. Throws CONFLICT if the chain is not in use. */
function selectChains(chains: KeyChains, chain: KeyChain | undefined): readonly SigningKeys[] {
  if (chain === undefined) return inUse(chains);
  const keys = chains[chain];
  if (!keys) throw refusal('idTokensOff');
  return [keys];
}

/** KeyService.GetJsonWebKeySet. */
function createGetJsonWebKeySet({ chains }: Pick<KeyDependencies, 'chains'>) {
  return async (): Promise<GetJsonWebKeySetResponse> => {
    const sets = await Promise.all(inUse(chains).map((chain) => chain.jsonWebKeySet()));
    return { json: JSON.stringify({ keys: sets.flatMap(({ keys }) => keys) }) };
  };
}

export type KeyHandlers = ReturnType<typeof keyHandlers>;

/** The RPCs of KeyService. */
export function keyHandlers(dependencies: KeyDependencies) {
  return {
    listSigningKeys: createListSigningKeys(dependencies),
    rotateSigningKey: createRotateSigningKey(dependencies),
    revokeSigningKey: createRevokeSigningKey(dependencies),
    getJsonWebKeySet: createGetJsonWebKeySet(dependencies),
  };
}

export function keyService(handlers: KeyHandlers): Service<Principal> {
  return implement(KeyServiceService, handlers, { unavailable: 'AUTHENTICATION_SERVICE_UNAVAILABLE' });
}
