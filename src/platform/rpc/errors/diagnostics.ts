// The error details shown under maximal disclosure: classes, messages that are known to contain no values, and stack
// frames.
import { DependencyUnavailableError, ServiceError } from '../../errors.ts';
import type { Diagnostics } from './rpc-error.ts';
import { cutText, safeFrames } from './stack-trace.ts';

/** Maximum number of causes that are followed. */
const MAX_CAUSES = 8;

interface DiagnosticsOptions {
  /** Maximum length of the stack trace, in code points. */
  readonly maxStackTraceChars: number;
  /** If false, the stack trace contains only the errors' headings. */
  readonly withFrames: boolean;
}

/** Describes an error and its causes. */
export function diagnose(error: Error, { maxStackTraceChars, withFrames }: DiagnosticsOptions): Diagnostics {
  const chain = causes(error);
  const texts = [...new Set(chain.map(safeText))];
  const traces = chain.map((link) => [heading(link), ...(withFrames ? safeFrames(link) : [])].join('\n'));
  return {
    exceptionType: className(chain.at(-1)!),
    exceptionMessage: texts.join('; caused by ').toWellFormed(),
    stackTrace: cutText(traces.join('\nCaused by: ').toWellFormed(), maxStackTraceChars),
  };
}

/**
 * Returns the error, its cause and so on to the root. A cause that is not an Error ends the chain. Libraries put plain
 * objects there (jose the token's claims), whose class is useless and whose content must not be shown.
 */
function causes(error: Error, chain: Error[] = []): Error[] {
  if (chain.length === MAX_CAUSES || chain.includes(error)) return chain;
  chain.push(error);
  return error.cause instanceof Error ? causes(error.cause, chain) : chain;
}

function heading(error: Error): string {
  const text = safeText(error);
  const name = className(error);
  return text.startsWith(name) ? text : `${name}: ${text}`;
}

function className(error: Error): string {
  return /^[A-Z][\w$.]{0,79}$/.test(error.name) ? error.name : 'Error';
}

/**
 * Returns the message of an error of this project, else only its class and code, because other messages quote values.
 */
export function safeText(error: unknown): string {
  if (!(error instanceof Error)) return 'The thrown value is not an Error';
  const { safeMessage, message, code } = error as Error & { readonly safeMessage?: unknown; readonly code?: unknown };
  if (error instanceof ServiceError || error instanceof DependencyUnavailableError || safeMessage === true)
    return message;
  const speaks = (typeof code === 'string' || typeof code === 'number') && /^[\w.-]{1,64}$/.test(`${code}`);
  return speaks ? `${className(error)} (${code})` : className(error);
}
