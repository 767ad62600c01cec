// The fields of applications as options of commands.
import { readFileSync } from 'node:fs';
import {
  IdTokenAlgorithm,
  UsernameForm,
  type ApplicationFields,
} from '../../proto/gen/authservice/oauth/v1/application_service.ts';
import { enumNames } from '../../src/platform/formats/enum-names.ts';
import type { Values } from '../command.ts';
import { CommandFailure, EXIT } from '../failure.ts';

export const ID_TOKEN_ALGORITHMS = enumNames(IdTokenAlgorithm, 'ID_TOKEN_ALGORITHM_');
export const USERNAME_FORMS = enumNames(UsernameForm, 'USERNAME_FORM_');

/** The options of all fields but the name. Their texts have the order of the form in the console. */
export const APPLICATION_OPTIONS = {
  '--redirect-uri <uri...>': 'where users return to after a login',
  '--post-logout-redirect-uri <uri...>': 'where users return to after a logout',
  '--backchannel-logout-uri <uri>': 'where the ends of sessions are sent',
  '--home-url <url>': 'its home page',
  '--logo <file>': 'a PNG of at most 32 kB',
  '--scope <scope...>': 'a scope that it can have (default: all)',
  '--resource <audience...>': 'an audience that it can ask for',
  '--first-party <yes|no>': 'whether users are not asked for consent, for a SUPER_ADMIN',
  '--require-pkce <yes|no>': 'whether its requests need PKCE (default: yes)',
  '--require-par <yes|no>': 'whether it must push its requests (default: no)',
  '--jwks <file>': 'a JSON Web Key Set with the public keys of its client assertions, instead of a secret',
  '--id-token-algorithm <algorithm>': 'RS256 or ES256 (default: RS256)',
  '--id-token-claims <yes|no>': 'whether ID tokens have the claims of its scopes (default: yes)',
  '--username-form <username-form>': 'FULL, or LOCAL_PART without @ and what follows (default: FULL)',
  '--required-permission <permission>': 'a permission that its users need, such as wiki:read',
  '--required-acr <acr>': 'the authentication that its users need: mfa or phr',
  '--device-grant <yes|no>': 'whether devices without a browser can use it (default: no)',
  '--access-token-ttl <duration>': 'lifetime of its access tokens, such as 15m',
  '--refresh-token-idle <duration>': 'when a refresh token that is not used ends, such as 30d',
  '--refresh-token-lifetime <duration>': 'when its access ends, such as 90d',
};

type FieldName = Exclude<keyof ApplicationFields, 'disabled'>;

/** The option of each field. */
const OPTIONS: Readonly<Record<FieldName, string>> = {
  name: 'name',
  redirectUris: 'redirectUri',
  postLogoutRedirectUris: 'postLogoutRedirectUri',
  backchannelLogoutUri: 'backchannelLogoutUri',
  homeUrl: 'homeUrl',
  logo: 'logo',
  scopes: 'scope',
  resources: 'resource',
  firstParty: 'firstParty',
  requirePkce: 'requirePkce',
  requirePar: 'requirePar',
  jwks: 'jwks',
  idTokenAlgorithm: 'idTokenAlgorithm',
  idTokenClaims: 'idTokenClaims',
  usernameForm: 'usernameForm',
  requiredPermission: 'requiredPermission',
  requiredAcr: 'requiredAcr',
  deviceGrant: 'deviceGrant',
  accessTokenTtl: 'accessTokenTtl',
  refreshTokenIdle: 'refreshTokenIdle',
  refreshTokenLifetime: 'refreshTokenLifetime',
};

/** Returns the fields that the options set. */
export function fieldsOf(given: Values): ApplicationFields {
  // An empty text is as if absent: the mask then removes what the application has.
  const set = Object.entries(given.all).filter(([, value]) => value !== '');
  const values = given.with(Object.fromEntries(Object.keys(given.all).map((name) => [name, undefined])));
  return readFields(values.with(Object.fromEntries(set)));
}

function readFields(values: Values): ApplicationFields {
  const list = (name: string) => values.list(name).filter((text) => text !== '');
  return {
    name: values.text('name'),
    redirectUris: list('redirectUri'),
    postLogoutRedirectUris: list('postLogoutRedirectUri'),
    backchannelLogoutUri: values.text('backchannelLogoutUri'),
    homeUrl: values.text('homeUrl'),
    logo: fileOf(values, 'logo')?.toString('base64'),
    scopes: list('scope').flatMap((text) => text.split(/[ ,]+/)),
    resources: list('resource'),
    firstParty: answer(values, 'firstParty'),
    requirePkce: answer(values, 'requirePkce'),
    requirePar: answer(values, 'requirePar'),
    jwks: fileOf(values, 'jwks')?.toString(),
    idTokenAlgorithm: ID_TOKEN_ALGORITHMS.valueOf(values.choice('idTokenAlgorithm', ID_TOKEN_ALGORITHMS.names)),
    idTokenClaims: answer(values, 'idTokenClaims'),
    usernameForm: USERNAME_FORMS.valueOf(values.choice('usernameForm', USERNAME_FORMS.names)),
    requiredPermission: values.text('requiredPermission'),
    requiredAcr: values.text('requiredAcr'),
    deviceGrant: answer(values, 'deviceGrant'),
    accessTokenTtl: seconds(values, 'accessTokenTtl'),
    refreshTokenIdle: seconds(values, 'refreshTokenIdle'),
    refreshTokenLifetime: seconds(values, 'refreshTokenLifetime'),
  };
}

/** Returns the update mask of the options that are given. */
export function maskOf({ all }: Values): string[] {
  const given = Object.entries(OPTIONS).filter(([, option]) => all[option] !== undefined);
  return given.map(([field]) => field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
}

function answer(values: Values, name: string): boolean | undefined {
  const text = values.choice(name, ['YES', 'NO']);
  return text && text === 'YES';
}

function seconds(values: Values, name: string): number | undefined {
  return values.text(name) === undefined ? undefined : values.duration(name, 0) / 1_000;
}

function fileOf(values: Values, name: string): Buffer | undefined {
  const path = values.path(name);
  if (path === undefined) return undefined;
  try {
    return readFileSync(path);
  } catch (error) {
    throw new CommandFailure(`--${name}: ${(error as Error).message}`, EXIT.usage);
  }
}
