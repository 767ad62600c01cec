// The fields of a policy: how each is shown, and read from a form.
import type { EffectivePolicy, TenantPolicy } from '../../../../client/src/operations.ts';
import { formatDuration, formatNumber } from '../../format.ts';
import { wordsOf } from '../../words.ts';
import { policyTexts } from './texts.ts';

/** A policy and its version. */
export interface VersionedPolicy {
  readonly policy: TenantPolicy;
  readonly tag: string;
}

export type PolicyField = keyof EffectivePolicy;
type Value = string | number | boolean | readonly string[] | undefined;

interface FieldKind {
  /** Returns a value that is in force as a text. */
  readonly format: (value: Value) => string;
  /** Returns the value of a form; null for the service's. */
  readonly parse: (text: string) => Exclude<Value, undefined> | null;
  /** The values of a choice. */
  readonly options?: () => readonly (readonly [value: string, text: string])[];
  readonly hint?: () => string;
  readonly isNumber?: boolean;
}

const ownHint = () => policyTexts().ownHint;
const number = (text: string) => (text === '' ? null : Number(text));

const COUNT: FieldKind = {
  format: (value) => formatNumber(Number(value)),
  parse: number,
  hint: ownHint,
  isNumber: true,
};

const duration = (without: () => string): FieldKind => ({
  format: (value) => (value === undefined || value === 0 ? without() : formatDuration(Number(value))),
  parse: number,
  hint: () => policyTexts().seconds,
  isNumber: true,
});
const DURATION = duration(() => policyTexts().noLimit);

const FEATURE: FieldKind = {
  format: (value) => (value === true ? policyTexts().yes : policyTexts().no),
  parse: (text) => (text === '' ? null : text === 'true'),
  options: () => [
    ['true', policyTexts().yes],
    ['false', policyTexts().no],
  ],
};

const choice = (
  values: readonly ('OPTIONAL' | 'REQUIRED_FOR_ADMINISTRATORS' | 'REQUIRED' | 'en' | 'de')[],
): FieldKind => ({
  format: (value) => policyTexts()[values.find((known) => known === value) ?? 'none'],
  parse: (text) => text || null,
  options: () => values.map((value) => [value, policyTexts()[value]]),
});

const ORIGINS: FieldKind = {
  format: (value) => (Array.isArray(value) && value.length > 0 ? value.join(', ') : policyTexts().ownOrigin),
  parse: (text) => (wordsOf(text).length === 0 ? null : wordsOf(text)),
  hint: () => policyTexts().origins,
};

/** In the order of the table. */
export const FIELDS: { readonly [Name in PolicyField]: FieldKind } = {
  secondFactor: choice(['OPTIONAL', 'REQUIRED_FOR_ADMINISTRATORS', 'REQUIRED']),
  passkeyLogin: FEATURE,
  sharedApplications: FEATURE,
  recovery: FEATURE,
  passwordMinLength: COUNT,
  accessTokenTtl: DURATION,
  sessionIdleWindow: DURATION,
  sessionAbsoluteLifetime: DURATION,
  sessionsPerAccount: COUNT,
  freshSession: duration(() => policyTexts().anyTime),
  lockMaxFailures: COUNT,
  lockDuration: DURATION,
  allowedOrigins: ORIGINS,
  language: choice(['en', 'de']),
};

export const FIELD_NAMES = Object.keys(FIELDS) as readonly PolicyField[];

/** Returns a value of the tenant as the text of a form; '' for the service's. */
export const toText = (value: Value): string => (Array.isArray(value) ? value.join('\n') : String(value ?? ''));
