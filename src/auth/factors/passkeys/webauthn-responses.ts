// The responses of browsers (WebAuthn level 3, section 5.1) as JSON. Everyone can send one, so each member that is used is checked here:
// the library and Node's decoders also accept objects, and Node copies as many items as the `length` of an object says.
import { decodeBase64 } from '../../../platform/formats/base64.ts';

/** A response that is malformed or does not verify. */
export class InvalidPasskeyError extends Error {
  override readonly name = 'InvalidPasskeyError';
}

/** The client data as far as it selects the challenge and the origin (section 5.8.1). */
export interface ClientData {
  readonly challenge: string;
  readonly origin: string;
  readonly crossOrigin: boolean;
}

type Members = Readonly<Record<string, unknown>>;

/** Parses RegistrationResponseJSON. Throws InvalidPasskeyError if it is malformed. */
export function parseCreation(json: string) {
  const { credential, response } = parseCredential(json);
  return {
    ...credential,
    response: {
      clientDataJSON: textOf(response, 'clientDataJSON'),
      attestationObject: textOf(response, 'attestationObject'),
      transports: transportsOf(response['transports']),
    },
  };
}

/** Parses AuthenticationResponseJSON. Throws InvalidPasskeyError if it is malformed. */
export function parseAssertion(json: string) {
  const { credential, response } = parseCredential(json);
  return {
    ...credential,
    response: {
      clientDataJSON: textOf(response, 'clientDataJSON'),
      authenticatorData: textOf(response, 'authenticatorData'),
      signature: textOf(response, 'signature'),
      // Authenticators may leave it out, and some pages then send null.
      ...((response['userHandle'] ?? undefined) !== undefined && { userHandle: textOf(response, 'userHandle') }),
    },
  };
}

/** Parses the client data of a response. Throws InvalidPasskeyError if it is malformed. */
export function parseClientData(encoded: string): ClientData {
  let data: unknown;
  try {
    data = JSON.parse(decodeBase64(encoded, 'base64url')?.toString() ?? '');
  } catch (cause) {
    throw new InvalidPasskeyError('clientDataJSON is malformed', { cause });
  }
  const { challenge, origin, crossOrigin = false } = (data ?? {}) as Members;
  if (typeof challenge !== 'string' || typeof origin !== 'string' || typeof crossOrigin !== 'boolean')
    throw new InvalidPasskeyError('clientDataJSON is malformed');
  return { challenge, origin, crossOrigin };
}

/** The members that both responses have. */
function parseCredential(json: string) {
  const members = JSON.parse(json) as Members;
  const type = textOf(members, 'type');
  if (type !== 'public-key') throw new InvalidPasskeyError('type is not public-key');
  const credential = {
    id: textOf(members, 'id'),
    rawId: textOf(members, 'rawId'),
    type: type as 'public-key',
    clientExtensionResults: {},
  };
  return { credential, response: (members['response'] ?? {}) as Members };
}

/** The rule of the request bounds the texts: the whole response has a maximal length. */
function textOf(members: Members, name: string): string {
  const value = members[name];
  if (typeof value !== 'string') throw new InvalidPasskeyError(`${name} is not a string`);
  return value;
}

const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;

/** Keeps the transports of WebAuthn level 3, section 5.8.4. Browsers can send others. */
function transportsOf(given: unknown): (typeof TRANSPORTS)[number][] {
  return Array.isArray(given) ? TRANSPORTS.filter((transport) => given.includes(transport)) : [];
}
