// The fields of an application that can change: where each is shown, and how it is read from a form.
import type { Application, UpdateApplicationRequest } from '../../../../client/src/operations.ts';
import { PageError } from '../../errors.ts';
import { formatDuration } from '../../format.ts';
import type { Values } from '../../ui/form.tsx';
import { applicationTexts } from './texts.ts';

export type FieldName = Exclude<keyof UpdateApplicationRequest, 'disabled' | 'reason'>;
export type Section = 'basics' | 'access' | 'tokens';
type Kind = 'text' | 'lines' | 'flag' | 'choice' | 'scopes' | 'seconds' | 'json' | 'logo';

interface FieldKind {
  readonly section: Section;
  readonly kind: Kind;
  /** The values of a choice. */
  readonly options?: () => readonly (readonly [value: string, text: string])[];
  /** Whether only a web application has it. */
  readonly isWeb?: boolean;
  /** Whether only a SUPER_ADMIN changes it. */
  readonly isOperators?: boolean;
  readonly maxLength?: number;
}

const URI_LENGTH = 2_000;

/** In the order of the screen. */
export const FIELDS: Readonly<Record<FieldName, FieldKind>> = {
  name: { section: 'basics', kind: 'text', maxLength: 200 },
  redirectUris: { section: 'basics', kind: 'lines' },
  postLogoutRedirectUris: { section: 'basics', kind: 'lines' },
  backchannelLogoutUri: { section: 'basics', kind: 'text', maxLength: URI_LENGTH },
  homeUrl: { section: 'basics', kind: 'text', maxLength: URI_LENGTH },
  logo: { section: 'basics', kind: 'logo' },
  requiredPermission: { section: 'access', kind: 'text', maxLength: 64 },
  requiredAcr: {
    section: 'access',
    kind: 'choice',
    options: () => [
      ['', applicationTexts().acrAny],
      ['mfa', applicationTexts().mfa],
      ['phr', applicationTexts().phr],
    ],
  },
  scopes: { section: 'access', kind: 'scopes' },
  resources: { section: 'access', kind: 'lines' },
  usernameForm: {
    section: 'access',
    kind: 'choice',
    options: () => [
      ['FULL', applicationTexts().FULL],
      ['LOCAL_PART', applicationTexts().LOCAL_PART],
    ],
  },
  idTokenClaims: { section: 'access', kind: 'flag' },
  firstParty: { section: 'access', kind: 'flag', isOperators: true },
  requirePkce: { section: 'tokens', kind: 'flag', isWeb: true },
  requirePar: { section: 'tokens', kind: 'flag' },
  deviceGrant: { section: 'tokens', kind: 'flag' },
  idTokenAlgorithm: {
    section: 'tokens',
    kind: 'choice',
    options: () => [
      ['RS256', 'RS256'],
      ['ES256', 'ES256'],
    ],
  },
  jwks: { section: 'tokens', kind: 'json', isWeb: true },
  accessTokenTtl: { section: 'tokens', kind: 'seconds' },
  refreshTokenIdle: { section: 'tokens', kind: 'seconds' },
  refreshTokenLifetime: { section: 'tokens', kind: 'seconds' },
};

export const SCOPES = ['openid', 'profile', 'email', 'roles', 'groups', 'tenant', 'offline_access'] as const;
const SCOPE = 'scope:';
export const scopeField = (scope: string): string => SCOPE + scope;

/** Returns the fields of a part of an application of this type. */
export const fieldsOf = (section: Section, type: Application['type']): readonly FieldName[] =>
  (Object.keys(FIELDS) as FieldName[]).filter((name) => {
    const { section: own, isWeb = false } = FIELDS[name];
    return own === section && (!isWeb || type === 'WEB');
  });

/** The errors of a form that belong to its keys. */
export const fieldOfError = (error: unknown): string | undefined => (error instanceof PageError ? 'jwks' : undefined);

/** Returns the values of a form as those of a request. Throws if the keys are not JSON. */
export function bodyOf(names: readonly FieldName[], values: Values): UpdateApplicationRequest {
  return Object.fromEntries(names.map((name) => [name, parse(name, values)]));
}

function parse(name: FieldName, values: Values): unknown {
  const text = values[name] ?? '';
  switch (FIELDS[name].kind) {
    case 'flag':
      return values[name] !== undefined;
    case 'lines':
      return text.split(/\s+/).filter((line) => line !== '');
    case 'scopes':
      return SCOPES.filter((scope) => values[scopeField(scope)] !== undefined);
    case 'seconds':
      return text === '' ? null : Number(text);
    case 'json':
      return text.trim() === '' ? null : parseJson(text);
    default:
      return text === '' && name !== 'name' ? null : text;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new PageError(applicationTexts().jwksInvalid);
  }
}

/** Returns a value as the text of a form. */
export function toText(name: FieldName, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (FIELDS[name].kind === 'json') return JSON.stringify(value, undefined, 2);
  return Array.isArray(value) ? value.join('\n') : `${value as string | number}`;
}

/** Returns a value for people. */
export function describe(name: FieldName, value: unknown): string {
  const texts = applicationTexts();
  const { kind, options } = FIELDS[name];
  if (kind === 'flag') return value === true ? texts.yes : texts.no;
  if (options) return options().find(([option]) => option === (value ?? ''))?.[1] ?? String(value);
  if (kind === 'seconds') return typeof value === 'number' ? formatDuration(value) : '–';
  if (kind === 'json') {
    const { keys = [] } = (value ?? {}) as { readonly keys?: readonly { readonly kid?: string }[] };
    return keys.map(({ kid }) => kid).join(', ') || texts.none;
  }
  if (kind === 'logo') return value === undefined || value === null ? texts.no : texts.yes;
  return toText(name, value) || texts.none;
}
