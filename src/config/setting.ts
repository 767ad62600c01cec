import type { Kind } from './kinds.ts';

export type Environment = 'DEV' | 'TEST' | 'PROD';

/** Which process reads a setting. */
export type Owner = 'gateway' | 'core' | 'both';

/** The settings that defaults of others may depend on; they are resolved first. */
export interface Basis {
  readonly 'app.name': string;
  readonly 'app.env': Environment;
}

/** A default that depends on other settings. */
export interface ComputedDefault<T> {
  /** The rule, for the documentation. */
  readonly rule: string;
  of(basis: Basis): T;
}

export interface Setting<T> {
  readonly kind: Kind<T>;
  /** The default as one would write it, or its rule. */
  readonly default: string | ComputedDefault<T>;
  readonly owner: Owner;
  /** Whether the value is or may contain a secret. */
  readonly secret?: true;
  /** What the setting does, in Markdown without line breaks. */
  readonly doc: string;
}

/** Declares a setting; infers the type of its value from its kind. */
export function setting<T>(declaration: Setting<T>): Setting<T> {
  return declaration;
}
