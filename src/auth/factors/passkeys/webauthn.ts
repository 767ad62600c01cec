// The ceremonies of WebAuthn level 3 (sections 7.1 and 7.2): options for browsers, and the check of their responses.
import type * as library from '@simplewebauthn/server';
import { decodeBase64 } from '../../../platform/formats/base64.ts';
import { isSigned, withoutBackupFlag } from './backup-flags.ts';
import {
  CEREMONY_MS,
  type PasskeyChallenge,
  type PasskeyChallenges,
  type PasskeyContext,
} from './passkey-challenges.ts';
import {
  InvalidPasskeyError,
  parseAssertion,
  parseClientData,
  parseCreation,
  type ClientData,
} from './webauthn-responses.ts';

/** A passkey as far as its ceremonies read it. */
export interface KnownPasskey {
  readonly credentialId: Uint8Array;
  /** COSE key. */
  readonly publicKey: Uint8Array;
  readonly counter: number;
  readonly rpId: string;
  readonly transports: readonly string[];
}

/** A passkey that a browser has created. */
export interface CreatedPasskey extends KnownPasskey {
  readonly credentialId: Buffer;
  readonly publicKey: Buffer;
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
  readonly userVerified: boolean;
}

/** The proof of a passkey. */
export interface PasskeyProof {
  readonly counter: number;
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
  readonly userVerified: boolean;
}

/** The account that a passkey is created for. */
interface PasskeyUser {
  /** The user handle: bytes that name no person. */
  readonly handle: Uint8Array;
  readonly username: string;
  readonly name: string;
}

/** A response of `navigator.credentials.get` as far as it can be read before its passkey is known. */
export interface Assertion {
  readonly credentialId: Buffer;
  /** Undefined if the response is not for a challenge of this context. */
  readonly challenge: PasskeyChallenge | undefined;
  readonly userHandle: Buffer | undefined;
  /** Checks the response with the passkey. Throws InvalidPasskeyError if it does not verify. */
  verify(passkey: KnownPasskey, options: { readonly requireUserVerification: boolean }): Promise<PasskeyProof>;
}

/** Options for `navigator.credentials.get`. */
export interface RequestOptions {
  readonly challenge: string;
  /** PublicKeyCredentialRequestOptionsJSON. */
  readonly options: string;
}

/** A response of `navigator.credentials.create`. */
export interface Creation {
  /** Undefined if the response is not for a challenge of this context. */
  readonly challenge: PasskeyChallenge | undefined;
  /** Checks the response. Throws InvalidPasskeyError if it does not verify. */
  verify(): Promise<CreatedPasskey>;
}

export type Webauthn = ReturnType<typeof createWebauthn>;

/** EdDSA, ES256, RS256 (COSE algorithms). */
const ALGORITHMS = [-8, -7, -257];
/** An RSA key of 4096 bits has 538 bytes. */
const MAX_PUBLIC_KEY_BYTES = 1_024;
/** WebAuthn level 3, section 4: credential id. */
const MAX_CREDENTIAL_ID_BYTES = 1_023;

export function createWebauthn(options: {
  /** The relying party id of new passkeys. */
  readonly rpId: string;
  /** The name of the service. */
  readonly rpName: string;
  /** Whether pages of an origin may use passkeys. */
  readonly isAllowedOrigin: (origin: string) => boolean;
  readonly challenges: PasskeyChallenges;
}) {
  const { rpId, rpName, isAllowedOrigin, challenges } = options;

  return {
    /** Returns PublicKeyCredentialCreationOptionsJSON as a text. */
    async creationOptions(
      context: PasskeyContext,
      user: PasskeyUser,
      existing: readonly KnownPasskey[],
    ): Promise<string> {
      const { generateRegistrationOptions } = await load();
      const created = await generateRegistrationOptions({
        rpName,
        rpID: rpId,
        userID: Uint8Array.from(user.handle),
        userName: user.username,
        userDisplayName: user.name,
        challenge: Uint8Array.from(challenges.create(context)),
        timeout: CEREMONY_MS,
        attestationType: 'none',
        excludeCredentials: existing.map(descriptorOf),
        authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'preferred' },
        supportedAlgorithmIDs: ALGORITHMS,
      });
      return JSON.stringify(created);
    },

    /** Reads RegistrationResponseJSON. Throws InvalidPasskeyError if it is malformed. */
    readCreation(text: string, context: PasskeyContext): Creation {
      const response = parseCreation(text);
      const client = parseClientData(response.response.clientDataJSON);
      return {
        challenge: challenges.read(client.challenge, context),
        verify: () => orInvalid(() => verifyCreated(response, client)),
      };
    },

    /** Returns PublicKeyCredentialRequestOptionsJSON as a text. Without passkeys, the browser offers the ones that it has. */
    async requestOptions(
      context: PasskeyContext,
      userVerification: 'required' | 'preferred',
      allowed: readonly KnownPasskey[] = [],
    ): Promise<RequestOptions> {
      const { generateAuthenticationOptions } = await load();
      // A browser asks for one id. After a change of the setting, passkeys of the old id still serve as second factor.
      const id = allowed.some((passkey) => passkey.rpId === rpId) ? rpId : (allowed[0]?.rpId ?? rpId);
      const created = await generateAuthenticationOptions({
        rpID: id,
        challenge: Uint8Array.from(challenges.create(context)),
        timeout: CEREMONY_MS,
        userVerification,
        allowCredentials: allowed.filter((passkey) => passkey.rpId === id).map(descriptorOf),
      });
      return { challenge: created.challenge, options: JSON.stringify(created) };
    },

    /** Returns a challenge that is valid in this context; undefined if the text is not one. */
    readChallenge: challenges.read,

    /** Reads AuthenticationResponseJSON. Throws InvalidPasskeyError if it is malformed. */
    readAssertion(text: string, context: PasskeyContext): Assertion {
      const response = parseAssertion(text);
      const client = parseClientData(response.response.clientDataJSON);
      const { userHandle } = response.response;
      const credentialId = decodeBase64(response.id, 'base64url');
      if (credentialId === undefined) throw new InvalidPasskeyError('the id is not base64url');
      return {
        credentialId,
        challenge: challenges.read(client.challenge, context),
        userHandle: userHandle === undefined ? undefined : decodeBase64(userHandle, 'base64url'),
        verify: (passkey, { requireUserVerification }) =>
          orInvalid(() => verifyAssertion(response, client, passkey, requireUserVerification)),
      };
    },
  };

  async function verifyCreated(
    response: library.RegistrationResponseJSON,
    client: ClientData,
  ): Promise<CreatedPasskey> {
    requireOrigin(client);
    await requirePlainAttestation(response.response.attestationObject);
    const { verifyRegistrationResponse } = await load();
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: client.challenge,
      expectedOrigin: client.origin,
      expectedRPID: rpId,
      requireUserVerification: false,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!verified) throw new InvalidPasskeyError('the attestation does not verify');
    const { credential, credentialDeviceType, credentialBackedUp, userVerified } = registrationInfo;
    const credentialId = Buffer.from(credential.id, 'base64url');
    if (credentialId.length > MAX_CREDENTIAL_ID_BYTES) throw new InvalidPasskeyError('the id is too long');
    if (credential.publicKey.length > MAX_PUBLIC_KEY_BYTES) throw new InvalidPasskeyError('the key is too long');
    return {
      credentialId,
      publicKey: Buffer.from(credential.publicKey),
      counter: credential.counter,
      rpId,
      transports: response.response.transports ?? [],
      backupEligible: credentialDeviceType === 'multiDevice',
      backedUp: credentialBackedUp,
      userVerified,
    };
  }

  async function verifyAssertion(
    response: library.AuthenticationResponseJSON,
    client: ClientData,
    passkey: KnownPasskey,
    requireUserVerification: boolean,
  ): Promise<PasskeyProof> {
    requireOrigin(client);
    const { verifyAuthenticationResponse } = await load();
    const publicKey = Uint8Array.from(passkey.publicKey);
    const { checked, isChanged } = withoutBackupFlag(response);
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: checked,
      expectedChallenge: client.challenge,
      expectedOrigin: client.origin,
      expectedRPID: passkey.rpId,
      requireUserVerification,
      credential: {
        id: Buffer.from(passkey.credentialId).toString('base64url'),
        publicKey,
        // The store compares counters, in the transaction that uses the passkey.
        counter: 0,
      },
    });
    if (!(isChanged ? await isSigned(response, publicKey) : verified))
      throw new InvalidPasskeyError('the signature does not verify');
    return {
      counter: authenticationInfo.newCounter,
      backupEligible: authenticationInfo.credentialDeviceType === 'multiDevice',
      backedUp: authenticationInfo.credentialBackedUp || isChanged,
      userVerified: authenticationInfo.userVerified,
    };
  }

  /** Pages in frames of other sites must not use passkeys. */
  function requireOrigin({ origin, crossOrigin }: ClientData): void {
    if (!isAllowedOrigin(origin)) throw new InvalidPasskeyError('the origin is not allowed');
    if (crossOrigin) throw new InvalidPasskeyError('the page is in a frame of another origin');
  }
}

/** Loaded here, because it is large and most deployments have few passkeys. */
const load = () => import('@simplewebauthn/server');

/**
 * Rejects attestation with certificates. It is not asked for, and the library would follow the URLs of revocation lists in a
 * certificate that anyone can make.
 */
async function requirePlainAttestation(attestationObject: string): Promise<void> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  const decoded = decodeAttestationObject(Uint8Array.from(Buffer.from(attestationObject, 'base64url')));
  const format = decoded.get('fmt');
  const isSelf = format === 'packed' && decoded.get('attStmt').get('x5c') === undefined;
  if (format !== 'none' && !isSelf)
    throw new InvalidPasskeyError('the attestation is neither none nor of the passkey itself');
}

/** The library throws plain errors for what a caller sent. */
async function orInvalid<Result>(verify: () => Promise<Result>): Promise<Result> {
  try {
    return await verify();
  } catch (error) {
    if (error instanceof InvalidPasskeyError) throw error;
    throw new InvalidPasskeyError('the response does not verify', { cause: error });
  }
}

function descriptorOf({ credentialId, transports }: KnownPasskey) {
  return { id: Buffer.from(credentialId).toString('base64url'), transports: [...transports] };
}
