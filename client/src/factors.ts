// Passkeys in a page, at `authservice-client/factors`: from the options of the service to the message that answers them.
import type { CallOptions } from './login-step.ts';
import { creationOptionsOf, requestOptionsOf, toJson, type JsonObject } from './webauthn-json.ts';

export interface PasskeyRequest extends CallOptions {
  /** `conditional`: the browser offers passkeys in the field of the username, without a dialog. The signal ends the wait. */
  readonly mediation?: 'optional' | 'required' | 'conditional';
}

/** Whether the browser has passkeys. It has none in a page without HTTPS, other than localhost. */
export function hasPasskeys(): boolean {
  return typeof PublicKeyCredential === 'function';
}

/**
 * Asks the user for a passkey. Returns AuthenticationResponseJSON. Rejects with a DOMException of the browser, for example
 * `NotAllowedError` if the user refuses.
 *
 * @param options The `options` of a response of the service.
 */
export async function getPasskey(options: object, request: PasskeyRequest = {}): Promise<JsonObject> {
  return responseOf(await navigator.credentials.get({ ...request, publicKey: requestOptionsOf(options) }));
}

/**
 * Asks the user to create a passkey. Returns RegistrationResponseJSON. Rejects with a DOMException of the browser, for example
 * `InvalidStateError` if the account has a passkey of this authenticator.
 *
 * @param options The `options` of a response of the service.
 */
export async function createPasskey(options: object, request: CallOptions = {}): Promise<JsonObject> {
  return responseOf(await navigator.credentials.create({ ...request, publicKey: creationOptionsOf(options) }));
}

function responseOf(credential: Credential | null): JsonObject {
  if (credential === null) throw new TypeError('The browser returned no passkey');
  return toJson(credential as PublicKeyCredential);
}

export type { JsonObject };
