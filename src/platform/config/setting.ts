import type { Kind } from './kinds.ts';

export type Environment = 'DEV' | 'TEST' | 'PROD';

/** The process that reads a setting. */
export type Owner = 'gateway' | 'core' | 'both';

/** Settings on which the defaults of others may depend. */
export interface Basis {
  readonly 'app.name': string;
  readonly 'app.env': Environment;
  readonly 'app.http.port': number;
  readonly 'app.http.context-path': string;
  readonly 'app.public-url': string | undefined;
  readonly 'app.mail.url': string | undefined;
  readonly 'app.security.jwt.issuer': string;
  readonly 'app.security.jwt.audience': string;
  readonly 'app.oauth.enabled': boolean;
}

/** Values that were given. A default that depends on whether another setting was given does not read the default of that setting. */
export interface Given {
  readonly 'app.http.pages'?: boolean;
}

/** A default that depends on other settings. */
interface ComputedDefault<T> {
  /** The rule, for the documentation. */
  readonly rule: string;
  of(basis: Basis, given: Given): T;
}

export interface Setting<T, By extends Owner = Owner> {
  readonly kind: Kind<T>;
  /** The default as it would be written, or its rule. */
  readonly default: string | ComputedDefault<T>;
  readonly owner: By;
  /** Whether the value is or may contain a secret. */
  readonly secret?: true;
  /** The purpose of the setting, in Markdown without line breaks. */
  readonly doc: string;
}

/** Declares a setting of one process or of both; infers the type of its value from its kind. */
const settingFor =
  <By extends Owner>(owner: By) =>
  <T>(
    kind: Kind<T>,
    byDefault: Setting<T>['default'],
    doc: string,
    options: Pick<Setting<T>, 'secret'> = {},
  ): Setting<T, By> => ({
    owner,
    kind,
    default: byDefault,
    doc,
    ...options,
  });

export const gateway = settingFor('gateway');
export const core = settingFor('core');
export const both = settingFor('both');
