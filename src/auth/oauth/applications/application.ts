// Applications that log in users of this service (OAuth 2.1 section 2). Types and pure functions.
import {
  ApplicationType as ApplicationTypeMessage,
  IdTokenAlgorithm as IdTokenAlgorithmMessage,
  UsernameForm as UsernameFormMessage,
} from '../../../../proto/gen/authservice/oauth/v1/application_service.ts';
import {
  enumName,
  exactText,
  flag,
  id,
  integer,
  optional,
  optionalTenant,
  text,
  time,
  type Column,
} from '../../../platform/db/columns.ts';
import { defineRecord, type ValuesOf } from '../../../platform/db/record.ts';
import { enumNames } from '../../../platform/formats/enum-names.ts';
import { readScopes, type Scope } from '../scopes.ts';

const TYPES = enumNames(ApplicationTypeMessage, 'APPLICATION_TYPE_');
const ALGORITHMS = enumNames(IdTokenAlgorithmMessage, 'ID_TOKEN_ALGORITHM_');
const USERNAME_FORMS = enumNames(UsernameFormMessage, 'USERNAME_FORM_');

/** WEB has a secret or keys. SPA, which runs in a browser, and NATIVE, which runs on a device, keep no secret. */
export type ApplicationType = (typeof TYPES.names)[number];
/** The algorithm of ID tokens (RFC 7518 section 3.1). */
export type IdTokenAlgorithm = (typeof ALGORITHMS.names)[number];

/** Converts the type of a message. */
export const applicationType = (type: ApplicationTypeMessage): ApplicationType => TYPES.nameOf(type)!;

/** An authentication context class: `phr` by a passkey, `mfa` by two factors. */
export type Acr = 'mfa' | 'phr';

const list = (name: string): Column<readonly string[], string[]> => ({
  name,
  fromSql: (stored: string) => JSON.parse(stored) as string[],
  toSql: (values) => JSON.stringify(values),
  toMessage: (values) => [...values],
});

const scopes: Column<readonly Scope[], string[]> = {
  name: 'scopes',
  fromSql: (stored: string) => readScopes(stored),
  toSql: (values) => values.join(' '),
  toMessage: (values) => [...values],
};

/** The bytes of a PNG, in messages as base64. */
const picture: Column<Buffer, string> = {
  name: 'logo',
  fromSql: (stored: Uint8Array) => Buffer.from(stored),
  toMessage: (bytes) => bytes.toString('base64'),
};

const FIXED = {
  /** Undefined for an application that serves the accounts of all tenants that share applications. */
  tenantId: optionalTenant('tenant_id'),
  /** UUIDv7. */
  id: id('id'),
  /** Unique among applications, service accounts and usernames. */
  clientId: exactText('client_id'),
  type: enumName('type', TYPES),
  createdAt: time('created_at'),
};

const FIELDS = {
  name: text('name'),
  redirectUris: list('redirect_uris'),
  postLogoutRedirectUris: list('post_logout_redirect_uris'),
  backchannelLogoutUri: optional(text('backchannel_logout_uri')),
  homeUrl: optional(text('home_url')),
  logo: optional(picture),
  /** The scopes that it can have. */
  scopes,
  /** The audiences that it can ask for (RFC 8707). */
  resources: list('resources'),
  /** Whether it needs no consent. */
  firstParty: flag('first_party'),
  requirePkce: flag('require_pkce'),
  requirePar: flag('require_par'),
  /** A JSON Web Key Set of public keys. */
  jwks: optional(text('jwks')),
  idTokenAlgorithm: enumName('id_token_algorithm', ALGORITHMS),
  idTokenClaims: flag('id_token_claims'),
  usernameForm: enumName('username_form', USERNAME_FORMS),
  /** The permission that its users need. */
  requiredPermission: optional(text('required_permission')),
  requiredAcr: optional(text('required_acr')) as Column<Acr | undefined, string | undefined>,
  deviceGrant: flag('device_grant'),
  /** Seconds, as the other durations. */
  accessTokenTtl: integer('access_token_ttl'),
  refreshTokenIdle: integer('refresh_token_idle'),
  refreshTokenLifetime: integer('refresh_token_lifetime'),
  disabled: flag('disabled'),
  updatedAt: time('updated_at'),
  /** Increases with every change, from 1. */
  version: integer('version'),
};

/** The name of a client id among client ids and usernames. */
const nameKeyOf = (clientId: string): Buffer => Buffer.from(clientId.toLowerCase());

export const APPLICATION = defineRecord('applications', {
  fixed: FIXED,
  fields: FIELDS,
  computed: {
    name_key: ({ clientId }) => nameKeyOf(clientId),
    has_resources: ({ resources }) => Number(resources.length > 0),
  },
});
export type Application = ValuesOf<typeof FIXED & typeof FIELDS>;
export type ApplicationAddress = Pick<Application, 'tenantId' | 'id'>;

/** Whether it authenticates by a secret: it keeps one, and has no keys. */
export function hasSecrets({ type, jwks }: Pick<Application, 'type' | 'jwks'>): boolean {
  return type === 'WEB' && jwks === undefined;
}
