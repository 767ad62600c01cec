// Errors as texts of the page.
import { ApiError, type Violation } from '../../client/src/index.ts';
import { formatRelative, formatTime } from './format.ts';
import { errorTexts } from './texts/errors.ts';
import { textOfOwnRefusal } from './texts/refusals.ts';
import { textOfViolation } from './texts/violations.ts';

/** An error whose message is a text of the page. */
export class PageError extends Error {
  override readonly name = 'PageError';
}

/** Errors of passkeys in the browser: https://www.w3.org/TR/webauthn-3/#sctn-api */
const ofPasskeys = (error: DOMException): string => {
  const { passkeyExists, passkeyNotUsed } = errorTexts();
  return error.name === 'InvalidStateError' ? passkeyExists : passkeyNotUsed;
};

/** Codes of Profile B whose names differ from those of Profile A. */
const ALIASES: Readonly<Record<string, string>> = {
  'invalid-credentials': 'bad-credentials',
  'user-not-found': 'account-not-found',
  'service-unavailable': 'authentication-service-unavailable',
};

/** Returns the code of an error with the names of Profile A; undefined if it is not an error of the service. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const code = error.code
    .replace(/^AUTH_/, '')
    .toLowerCase()
    .replaceAll('_', '-');
  return ALIASES[code] ?? code;
}

/** Returns what went wrong and what to do next. The service's own message is used for errors without a text. */
export function textOf(error: unknown): string {
  const texts = errorTexts();
  if (error instanceof PageError) return error.message;
  if (error instanceof DOMException) return ofPasskeys(error);
  const code = codeOf(error);
  if (!(error instanceof ApiError) || code === undefined) return texts.unexpected;
  const told = toldBy(error, code);
  if (told !== undefined) return told;
  const text = (texts as Readonly<Record<string, unknown>>)[code];
  if (typeof text === 'string') return text;
  if (typeof text === 'function') {
    const until = endOf(error);
    return (text as (when: string | undefined) => string)(
      until === undefined ? undefined : `${formatRelative(until)} (${formatTime(until)})`,
    );
  }
  return error.status >= 500 ? texts.unavailable : error.message;
}

/** Returns what stands in the way of a change, by the code of the violation. The console has texts for more codes. */
let textOfRefusal: (violation: Violation) => string | undefined = textOfOwnRefusal;

export function setRefusalTexts(textOf: typeof textOfRefusal): void {
  textOfRefusal = textOf;
}

const REFUSALS = ['conflict', 'permission-denied', 'principal-not-eligible'];

/** Returns what the violations alone tell: what stands in the way, or the values without a field in the form. */
function toldBy(error: ApiError, code: string): string | undefined {
  const violations = [...violationsOf(error)];
  if (code === 'validation-error' && violations.length > 0)
    return violations.map(([path, message]) => (path === '' ? message : `${path}: ${message}`)).join(' ');
  const [refusal] = error.violations;
  if (!REFUSALS.includes(code) || (refusal === undefined && code !== 'conflict')) return undefined;
  return (refusal && textOfRefusal(refusal)) ?? errorTexts().refused(refusal?.message ?? error.message);
}

const ISO_TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/;

/** Returns when a lock or a limit ends. Of the lock of a password, the service tells it in the message only, if at all. */
function endOf({ retryAfterMs, message }: ApiError): number | undefined {
  if (retryAfterMs !== undefined) return Date.now() + retryAfterMs;
  const [time] = ISO_TIME.exec(message) ?? [];
  return time === undefined ? undefined : Date.parse(time);
}

/** Returns the messages of the violations by the names of their fields: `user.name`. */
export function violationsOf(error: unknown): ReadonlyMap<string, string> {
  const violations = error instanceof ApiError ? error.violations : [];
  return new Map(
    violations.map((violation) => [
      (violation.props ?? []).join('.'),
      textOfRefusal(violation) ?? textOfViolation(violation),
    ]),
  );
}
