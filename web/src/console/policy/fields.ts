// The fields of a policy: how each is shown, and read from a form.
import type { EffectivePolicy, TenantPolicy, UpdateTenantPolicyRequest } from '../../../../client/src/operations.ts';
import { formatDuration, formatNumber } from '../../format.ts';
import type { Values } from '../../ui/form.tsx';
import { wordsOf } from '../../words.ts';
import { policyTexts } from './texts.ts';

export type PolicyField = keyof EffectivePolicy;
type Value = string | number | boolean | readonly string[] | null | undefined;

interface FieldKind {
  readonly kind: 'count' | 'duration' | 'choice' | 'lines';
  /** Returns a value that is in force as a text. */
  readonly format: (value: Value) => string;
  /** The values of a choice. */
  readonly options?: () => readonly (readonly [value: string, text: string])[];
  /** What a change of it does. */
  readonly note?: () => string;
}

const count = (note?: () => string): FieldKind => ({
  kind: 'count',
  format: (value) => formatNumber(Number(value)),
  ...(note && { note }),
});

const duration = (without: () => string): FieldKind => ({
  kind: 'duration',
  format: (value) => (value === undefined || value === 0 ? without() : formatDuration(Number(value))),
});
const DURATION = duration(() => policyTexts().noLimit);

const FEATURE: FieldKind = {
  kind: 'choice',
  format: (value) => (value === true ? policyTexts().yes : policyTexts().no),
  options: () => [
    ['true', policyTexts().yes],
    ['false', policyTexts().no],
  ],
};

type Choice = 'OPTIONAL' | 'REQUIRED_FOR_ADMINISTRATORS' | 'REQUIRED' | 'en' | 'de';
const choice = (values: readonly Choice[], note?: () => string): FieldKind => ({
  kind: 'choice',
  format: (value) => policyTexts()[values.find((known) => known === value) ?? 'none'],
  options: () => values.map((value) => [value, policyTexts()[value]]),
  ...(note && { note }),
});

const ORIGINS: FieldKind = {
  kind: 'lines',
  format: (value) => (Array.isArray(value) && value.length > 0 ? value.join(', ') : policyTexts().ownOrigin),
  note: () => policyTexts().origins,
};

export const FIELDS: { readonly [Name in PolicyField]: FieldKind } = {
  secondFactor: choice(['OPTIONAL', 'REQUIRED_FOR_ADMINISTRATORS', 'REQUIRED'], () => policyTexts().secondFactorNote),
  passkeyLogin: FEATURE,
  sharedApplications: FEATURE,
  recovery: FEATURE,
  passwordMinLength: count(),
  accessTokenTtl: DURATION,
  sessionIdleWindow: DURATION,
  sessionAbsoluteLifetime: DURATION,
  sessionsPerAccount: count(() => policyTexts().sessionsPerAccountNote),
  freshSession: duration(() => policyTexts().anyTime),
  lockMaxFailures: count(),
  lockDuration: DURATION,
  allowedOrigins: ORIGINS,
  language: choice(['en', 'de']),
};

/** In the order of the screen. */
export const SECTIONS = [
  ['login', ['secondFactor', 'passkeyLogin', 'passwordMinLength', 'lockMaxFailures', 'lockDuration', 'recovery']],
  [
    'sessions',
    ['sessionIdleWindow', 'sessionAbsoluteLifetime', 'sessionsPerAccount', 'freshSession', 'accessTokenTtl'],
  ],
  ['others', ['sharedApplications', 'allowedOrigins', 'language']],
] as const satisfies readonly (readonly [string, readonly PolicyField[]])[];

/** The units of durations in seconds, the largest first. */
export const UNITS = [
  [86_400, 'days'],
  [3_600, 'hours'],
  [60, 'minutes'],
  [1, 'seconds'],
] as const;

/** Returns the largest unit that needs no fraction. */
export const unitOf = (seconds: number): number =>
  (seconds === 0 ? undefined : UNITS.find(([length]) => seconds % length === 0)?.[0]) ?? 60;

/** Returns the name of the field of a unit. */
export const unitField = (name: PolicyField): string => `${name}:unit`;

/** Returns where the value in force is from. */
export function sourceOf({ policy, effective, service }: TenantPolicy, name: PolicyField): string {
  const texts = policyTexts();
  const own = policy[name];
  if (own === undefined) return texts.sourceService;
  if (toText(own) === toText(effective[name])) return texts.sourceTenant(FIELDS[name].format(service[name]));
  return texts.sourceStricter;
}

/** Returns a value as the text of a form; '' for the service's. */
export const toText = (value: Value): string => (Array.isArray(value) ? value.join('\n') : String(value ?? ''));

/** Returns the values of a form that differ from those of the policy; null for the service's. */
export function changesOf(policy: TenantPolicy['policy'], values: Values): UpdateTenantPolicyRequest {
  const names = Object.keys(FIELDS) as PolicyField[];
  return Object.fromEntries(
    names
      .map((name) => [name, parse(name, values)] as const)
      .filter(([name, value]) => toText(value) !== toText(policy[name])),
  );
}

function parse(name: PolicyField, values: Values): Exclude<Value, undefined> {
  const text = values[name] ?? '';
  const { kind } = FIELDS[name];
  if (kind === 'lines') return wordsOf(text).length === 0 ? null : wordsOf(text);
  if (text === '') return null;
  if (kind === 'count') return Number(text);
  if (kind === 'duration') return Math.round(Number(text) * Number(values[unitField(name)] ?? 1));
  return text === 'true' || text === 'false' ? text === 'true' : text;
}
