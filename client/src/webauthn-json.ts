// The JSON messages of WebAuthn (level 3, section 5.1). The browser converts them if it can.
export type JsonObject = Record<string, unknown>;

interface DescriptorJson {
  readonly id: string;
  readonly type: 'public-key';
  readonly transports?: AuthenticatorTransport[];
}

interface RequestJson {
  readonly challenge: string;
  readonly allowCredentials?: readonly DescriptorJson[];
}

interface CreationJson extends Pick<PublicKeyCredentialCreationOptions, 'rp' | 'pubKeyCredParams'> {
  readonly challenge: string;
  readonly user: { readonly id: string; readonly name: string; readonly displayName: string };
  readonly excludeCredentials?: readonly DescriptorJson[];
}

/** The conversions of newer browsers. */
interface Conversions {
  parseRequestOptionsFromJSON?(options: object): PublicKeyCredentialRequestOptions;
  parseCreationOptionsFromJSON?(options: object): PublicKeyCredentialCreationOptions;
}

const conversions = () => PublicKeyCredential as Conversions;

/** Parses PublicKeyCredentialRequestOptionsJSON. */
export function requestOptionsOf(options: object): PublicKeyCredentialRequestOptions {
  const parsed = conversions().parseRequestOptionsFromJSON?.(options);
  if (parsed) return parsed;
  const { challenge, allowCredentials = [], ...others } = options as RequestJson;
  return { ...others, challenge: toBytes(challenge), allowCredentials: allowCredentials.map(descriptorOf) };
}

/** Parses PublicKeyCredentialCreationOptionsJSON. */
export function creationOptionsOf(options: object): PublicKeyCredentialCreationOptions {
  const parsed = conversions().parseCreationOptionsFromJSON?.(options);
  if (parsed) return parsed;
  const { challenge, user, excludeCredentials = [], ...others } = options as CreationJson;
  return {
    ...others,
    challenge: toBytes(challenge),
    user: { ...user, id: toBytes(user.id) },
    excludeCredentials: excludeCredentials.map(descriptorOf),
  };
}

const descriptorOf = ({ id, ...others }: DescriptorJson) => ({ ...others, id: toBytes(id) });

/** The members of both kinds of responses that are bytes. */
const BYTES = ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle', 'attestationObject'];

/** Returns AuthenticationResponseJSON or RegistrationResponseJSON. */
export function toJson(credential: PublicKeyCredential): JsonObject {
  if ('toJSON' in credential) return credential.toJSON() as unknown as JsonObject;
  const { id, type, response, getClientExtensionResults } = credential as PublicKeyCredential;
  const members = response as unknown as Readonly<Record<string, ArrayBuffer | null | undefined>>;
  const bytes = BYTES.flatMap((name) => (members[name] ? [[name, toText(members[name])]] : []));
  const { getTransports } = response as Partial<AuthenticatorAttestationResponse>;
  return {
    id,
    rawId: id,
    type,
    response: { ...Object.fromEntries(bytes), ...(getTransports && { transports: getTransports.call(response) }) },
    clientExtensionResults: getClientExtensionResults.call(credential),
  };
}

function toBytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));
}

function toText(bytes: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}
