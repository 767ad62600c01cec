// The passkeys of accounts: their ceremonies, and their use in the transaction of a login, a confirmation or a registration.
import { DatabaseError } from '../../../platform/db/errors.ts';
import { idToBytes, newId } from '../../../platform/db/ids.ts';
import type { Database, Statements } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import type { Account } from '../../access/account.ts';
import { forgetWrongCodes } from '../factor-store.ts';
import {
  changeBackupFlags,
  findPasskey,
  findPasskeys,
  insertPasskey,
  recordPasskeyUse,
  usePasskeyChallenge,
  type Passkey,
} from '../passkey-store.ts';
import type { Proof } from '../proofs.ts';
import { factorEvent, type FactorUse } from '../use-code.ts';
import type { PasskeyChallenge, PasskeyContext } from './passkey-challenges.ts';
import { InvalidPasskeyError } from './webauthn-responses.ts';
import type { CreatedPasskey, PasskeyProof, RequestOptions, Webauthn } from './webauthn.ts';

/** A passkey that was proven, and has to be used in a transaction. */
export interface ProvenPasskey {
  readonly passkey: Passkey;
  readonly proven: PasskeyProof;
  readonly challenge: PasskeyChallenge;
  /** What it says about a session. */
  readonly proof: Proof;
}

/** A passkey that a browser has created, and that has to be stored in a transaction. */
export interface NewPasskey {
  readonly created: CreatedPasskey;
  readonly challenge: PasskeyChallenge;
  readonly proof: Proof;
}

/** Why a passkey is refused. It is returned, because some refusals are recorded in a transaction before they are thrown. */
export class RefusedPasskey extends ServiceError {
  /** The account of the passkey, if a login names a known one. */
  account: AccountKey | undefined;
}

export type Passkeys = ReturnType<typeof createPasskeys>;

const stale = (detail: string) => () => new RefusedPasskey('CHALLENGE_INVALID', { detail });
const invalid = (detail: string) => () => new RefusedPasskey('SECOND_FACTOR_INVALID', { detail });
const STALE = stale('the challenge of the passkey is unknown or has expired');
const REUSED = stale('the challenge of the passkey was used before');
const UNKNOWN = invalid('the passkey is unknown');
const OTHER_CHALLENGE = invalid('the passkey answers another challenge');
const OTHER_USER = invalid('the passkey does not name its account');
const BEHIND = invalid('the counter of the passkey has gone back');
/** A credential id belongs to one account of all. */
export const REGISTERED = invalid('the passkey is registered already')();

/** @param options.webauthn Undefined if the service has no passkeys. */
export function createPasskeys(options: { readonly database: Database; readonly webauthn: Webauthn | undefined }) {
  const { database, webauthn } = options;

  return {
    isEnabled: webauthn !== undefined,

    /** Throws NOT_FOUND if the service has no passkeys. */
    assertEnabled: (): void => void enabled(),

    /** Returns the options for a login without a username. Writes nothing. */
    loginOptions: (context: PasskeyContext): Promise<RequestOptions> => enabled().requestOptions(context, 'required'),

    /** Returns the options to prove a passkey of an account. */
    async requestOptions(context: PasskeyContext, account: AccountKey): Promise<string> {
      const passkeys = await findPasskeys(database, account);
      if (passkeys.length === 0) throw UNKNOWN();
      return (await enabled().requestOptions(context, 'preferred', passkeys)).options;
    },

    /** Returns the options to create a passkey of an account. */
    async creationOptions(context: PasskeyContext, account: Pick<Account, 'id' | 'tenantId' | 'username' | 'name'>) {
      const { id, username, name } = account;
      const existing = await findPasskeys(database, account);
      return enabled().creationOptions(context, { handle: idToBytes(id), username, name }, existing);
    },

    /** Checks a passkey that names its account itself. Its authenticator must have verified the user. */
    async checkLogin(
      { challenge: text, passkey: response }: { readonly challenge: string; readonly passkey: string },
      context: PasskeyContext,
    ): Promise<ProvenPasskey | RefusedPasskey> {
      const challenge = enabled().readChallenge(text, context);
      if (!challenge) return STALE();
      let account: AccountKey | undefined;
      const checked = await orRefused(async () => {
        const assertion = enabled().readAssertion(response, context);
        const passkey = await findPasskey(database, assertion.credentialId);
        if (!passkey) return UNKNOWN();
        account = ownerOf(passkey);
        if (!assertion.challenge?.hash.equals(challenge.hash)) return OTHER_CHALLENGE();
        if (!assertion.userHandle?.equals(idToBytes(passkey.accountId))) return OTHER_USER();
        const proven = await assertion.verify(passkey, { requireUserVerification: true });
        return provenPasskey(passkey, proven, challenge);
      });
      if (checked instanceof RefusedPasskey) checked.account = account;
      return checked;
    },

    /** Checks a passkey of an account that is known. */
    async check(text: string, context: PasskeyContext, account: AccountKey): Promise<ProvenPasskey | RefusedPasskey> {
      return orRefused(async () => {
        const assertion = enabled().readAssertion(text, context);
        if (!assertion.challenge) return STALE();
        const passkeys = await findPasskeys(database, account);
        const passkey = passkeys.find(({ credentialId }) => credentialId.equals(assertion.credentialId));
        if (!passkey) return UNKNOWN();
        const proven = await assertion.verify(passkey, { requireUserVerification: false });
        return provenPasskey(passkey, proven, assertion.challenge);
      });
    },

    /** Checks a passkey that a browser has created. */
    async checkCreated(text: string, context: PasskeyContext): Promise<NewPasskey | RefusedPasskey> {
      return orRefused(async () => {
        const { challenge, verify } = enabled().readCreation(text, context);
        if (!challenge) return STALE();
        const created = await verify();
        return { created, challenge, proof: { kind: 'passkey', ...created } };
      });
    },

    /** Stores a new passkey. Returns why it is refused, if another call used its challenge first, or it is registered already. */
    async store(
      tx: Statements,
      { created, challenge }: NewPasskey,
      { account, label, now }: { readonly account: AccountKey; readonly label: string; readonly now: number },
    ): Promise<Passkey | RefusedPasskey> {
      if (!(await usePasskeyChallenge(tx, challenge.hash, challenge.expiresAt))) return REUSED();
      const { tenantId, id: accountId } = account;
      const owned = { tenantId, accountId, id: newId(), label, createdAt: now, lastUsedAt: undefined };
      const passkey: Passkey = { ...created, ...owned };
      return (await insertOnce(tx, passkey)) ? passkey : REGISTERED;
    },

    /**
     * Uses a proven passkey, and forgets the wrong codes of its account. Returns undefined, or why it is refused: another call used its
     * challenge or a later counter first. Other backup flags are no reason: authenticators change both, although WebAuthn level 3
     * (section 6.1.3) fixes the eligibility.
     */
    async use({ tx, record, account, now }: FactorUse, { passkey, proven, challenge }: ProvenPasskey) {
      if (!(await usePasskeyChallenge(tx, challenge.hash, challenge.expiresAt))) return REUSED();
      if (!(await recordPasskeyUse(tx, passkey, { counter: proven.counter, now }))) return BEHIND();
      const { backupEligible, backedUp } = proven;
      const isOther = backupEligible !== passkey.backupEligible || backedUp !== passkey.backedUp;
      if (isOther && (await changeBackupFlags(tx, passkey, proven)))
        record(factorEvent('factor.changed', account, flagsOf(passkey, proven)));
      await forgetWrongCodes(tx, ownerOf(passkey));
      return undefined;
    },
  };

  function enabled(): Webauthn {
    if (!webauthn) throw new ServiceError('NOT_FOUND', { publicMessage: 'The service has no passkeys' });
    return webauthn;
  }
}

type AccountKey = Pick<Account, 'tenantId' | 'id'>;

/** The details of an audit record of other backup flags. */
function flagsOf({ id: passkeyId }: Passkey, { backupEligible, backedUp }: PasskeyProof) {
  return { method: 'passkey', passkeyId, backupEligible: String(backupEligible), backedUp: String(backedUp) };
}

function provenPasskey(passkey: Passkey, proven: PasskeyProof, challenge: PasskeyChallenge): ProvenPasskey {
  return { passkey, proven, challenge, proof: { kind: 'passkey', ...proven } };
}

async function insertOnce(tx: Statements, passkey: Passkey): Promise<boolean> {
  try {
    await insertPasskey(tx, passkey);
    return true;
  } catch (error) {
    if (error instanceof DatabaseError && error.kind === 'duplicate') return false;
    throw error;
  }
}

/** Returns the key of the account of a passkey. */
export function ownerOf({ tenantId, accountId: id }: Pick<Passkey, 'tenantId' | 'accountId'>): AccountKey {
  return { tenantId, id };
}

async function orRefused<T>(check: () => Promise<T>): Promise<T | RefusedPasskey> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof InvalidPasskeyError)) throw error;
    return new RefusedPasskey('SECOND_FACTOR_INVALID', { detail: error.message, cause: error });
  }
}
