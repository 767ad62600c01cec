// The fields of a tenant's policy. A new field is one row of POLICY_FIELDS, and its value of the service in the composition.
import { originMatcher, type AllowedOrigins } from '../../../platform/formats/origins.ts';

/** The accounts that must have a second factor, from the loosest to the strictest. Administrators hold a MANAGE permission. */
export const SECOND_FACTOR_RULES = ['OPTIONAL', 'REQUIRED_FOR_ADMINISTRATORS', 'REQUIRED'] as const;
export type SecondFactorRule = (typeof SECOND_FACTOR_RULES)[number];

/** The values of the service, or those in force. Durations in seconds. */
export interface Policy {
  readonly passwordMinLength: number;
  readonly accessTokenTtl: number;
  /** For sessions with rememberMe. The others have a window of their own, which this limits. */
  readonly sessionIdleWindow: number;
  /** Undefined if there is no limit. */
  readonly sessionAbsoluteLifetime: number | undefined;
  readonly sessionsPerAccount: number;
  readonly lockMaxFailures: number;
  readonly lockDuration: number;
  readonly allowedOrigins: AllowedOrigins;
  readonly secondFactor: SecondFactorRule;
  /** How long after its authentication a session can administrate. 0 means that it always can. */
  readonly freshSession: number;
  /** Whether users can choose a new password by a link in a mail. */
  readonly recovery: boolean;
  /** The language of the mails to its users. */
  readonly language: Language;
  /** Whether a passkey alone can log in. */
  readonly passkeyLogin: boolean;
  /** Whether applications for all tenants serve its users. */
  readonly sharedApplications: boolean;
}

/** The languages of mails. */
export const LANGUAGES = ['en', 'de'] as const;
export type Language = (typeof LANGUAGES)[number];

export type PolicyFieldName = keyof Policy;

/** The values that a tenant sets itself. A field without a value has the service's. */
export type OwnPolicy = { readonly [Name in PolicyFieldName]?: Own<Policy[Name]> };
type Own<InForce> = InForce extends AllowedOrigins ? readonly string[] : NonNullable<InForce>;

/** A broken bound of a value, and the item of a list that breaks it. */
export interface PolicyFault {
  readonly message: string;
  readonly format: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly item?: number;
}

/** A field: what a tenant may give, and which of two values is in force. */
interface PolicyField<InForce> {
  /** The setting with the service's value. */
  readonly setting: string;
  /** Returns a stored value; undefined if it has another type. */
  read(stored: unknown): Own<InForce> | undefined;
  /** Returns why a tenant may not give a value; undefined if it may. */
  findFault(value: Own<InForce>, service: InForce): PolicyFault | undefined;
  /** Returns the stricter of both values. */
  stricter(value: Own<InForce>, service: InForce): InForce;
}

/** A number of which the larger one is stricter. */
function larger(setting: string, { least, most }: { readonly least: number; readonly most: number }) {
  return {
    setting,
    read: readNumber,
    findFault: (value, service) =>
      numberFault(value, { least: Math.max(least, service), most, from: least < service ? setting : undefined }),
    stricter: Math.max,
  } satisfies PolicyField<number>;
}

/** A number of which the smaller one is stricter. The service may have no limit. */
function smaller(setting: string, { least, most = Infinity }: { readonly least: number; readonly most?: number }) {
  return {
    setting,
    read: readNumber,
    findFault: (value: number, service: number | undefined = Infinity) =>
      numberFault(value, { least, most: Math.min(most, service), from: service < most ? setting : undefined }),
    stricter: (value: number, service: number | undefined = Infinity) => Math.min(value, service),
  };
}

/** A feature that a tenant can turn off. No setting turns it off for all. */
const FEATURE: PolicyField<boolean> = {
  setting: 'default',
  read: (stored) => (typeof stored === 'boolean' ? stored : undefined),
  findFault(value, service) {
    if (service || !value) return undefined;
    return { message: "must be false, because a tenant cannot be looser than the service's value", format: 'enum' };
  },
  stricter: (value, service) => value && service,
};

/** No language is stricter than another one. */
const LANGUAGE: PolicyField<Language> = {
  setting: 'default',
  read: (stored) => LANGUAGES.find((language) => language === stored),
  findFault: () => undefined,
  stricter: (value) => value,
};

const SECOND_FACTOR: PolicyField<SecondFactorRule> = {
  setting: 'app.security.second-factor',
  read: (stored) => SECOND_FACTOR_RULES.find((rule) => rule === stored),
  findFault(rule, service) {
    const allowed = SECOND_FACTOR_RULES.slice(SECOND_FACTOR_RULES.indexOf(service));
    if (allowed.includes(rule)) return undefined;
    const message = `must be ${allowed.join(' or ')}, because a tenant cannot be looser than app.security.second-factor`;
    return { message, format: 'enum', params: { allowed } };
  },
  stricter: (rule, service) =>
    SECOND_FACTOR_RULES.indexOf(rule) > SECOND_FACTOR_RULES.indexOf(service) ? rule : service,
};

const ALLOWED_ORIGINS: PolicyField<AllowedOrigins> = {
  setting: 'app.http.cors.allowed-origins',
  read: (stored) =>
    Array.isArray(stored) && stored.length > 0 ? stored.filter((origin) => typeof origin === 'string') : undefined,
  findFault(origins, service) {
    const isListed = originMatcher(service);
    const item = origins.findIndex((origin) => !isListed(origin));
    if (item === -1) return undefined;
    return { message: 'must be an origin of app.http.cors.allowed-origins', format: 'subset', item };
  },
  stricter: (origins, service) => ({ origins: origins.filter(originMatcher(service)), anyLoopbackPort: false }),
};

/** 0, no limit, is the loosest value. */
const FRESH_SESSION: PolicyField<number> = {
  setting: 'app.security.fresh-session',
  read: readNumber,
  findFault(value, service) {
    if (value === 0 && service === 0) return undefined;
    const most = service === 0 ? Infinity : service;
    return numberFault(value, { least: 60, most, from: service === 0 ? undefined : 'app.security.fresh-session' });
  },
  stricter: (value, service) => (value === 0 || service === 0 ? Math.max(value, service) : Math.min(value, service)),
};

/** All fields, in the order of the documentation. Bounds beside the service's value are those of the contract. */
export const POLICY_FIELDS: { readonly [Name in PolicyFieldName]: PolicyField<Policy[Name]> } = {
  passwordMinLength: larger('app.security.password.min-length', { least: 12, most: 128 }),
  accessTokenTtl: smaller('app.security.access-token-ttl', { least: 60 }),
  sessionIdleWindow: smaller('app.security.refresh-session.idle-window', { least: 60 }),
  sessionAbsoluteLifetime: smaller('app.security.refresh-session.absolute-lifetime', { least: 60 }),
  sessionsPerAccount: smaller('app.security.sessions-per-account', { least: 1 }),
  lockMaxFailures: smaller('app.security.lockout.max-failures', { least: 3, most: 5 }),
  lockDuration: larger('app.security.lockout.duration', { least: 900, most: 86_400 }),
  allowedOrigins: ALLOWED_ORIGINS,
  secondFactor: SECOND_FACTOR,
  freshSession: FRESH_SESSION,
  recovery: FEATURE,
  language: LANGUAGE,
  passkeyLogin: FEATURE,
  sharedApplications: FEATURE,
};

export const POLICY_FIELD_NAMES = Object.keys(POLICY_FIELDS) as readonly PolicyFieldName[];

function readNumber(stored: unknown): number | undefined {
  // JSON has a negative zero, too.
  return typeof stored === 'number' && Number.isFinite(stored) ? stored + 0 : undefined;
}

/** @param bounds.from The setting that gives the bound of the service, if it is the narrower one. */
function numberFault(
  value: number,
  { least, most, from }: { readonly least: number; readonly most: number; readonly from: string | undefined },
): PolicyFault | undefined {
  const reason = from === undefined ? '' : `, because a tenant cannot be looser than ${from}`;
  if (value < least)
    return { message: `must be at least ${least}${reason}`, format: 'minimum', params: { minimum: least } };
  if (value > most)
    return { message: `must be at most ${most}${reason}`, format: 'maximum', params: { maximum: most } };
  return undefined;
}
