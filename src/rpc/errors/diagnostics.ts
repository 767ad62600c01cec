// What maximal disclosure shows of an error: its class, messages that are known to hold no values, and its frames.
import { DependencyUnavailableError, ServiceError } from '../../errors.ts';
import type { Diagnostics } from './rpc-error.ts';
import { cutText, safeFrames } from './stack-trace.ts';

/** Longest chain of causes that is followed. */
const MAX_CAUSES = 8;

export interface DiagnosticsOptions {
  /** Bound of the stack trace, in code points. */
  readonly maxStackTraceChars: number;
  /** False: the stack trace names the errors only. */
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
 * The error, its cause, and so on to the root failure. A cause that is not an Error ends the chain: libraries put plain objects
 * there (jose the claims of the token), whose class says nothing and whose content is not ours to show.
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

/** The message of an error of this project, else no more than its class and code: other messages quote values. */
export function safeText(error: unknown): string {
  if (!(error instanceof Error)) return 'The thrown value is not an Error';
  const { safeMessage, message, code } = error as Error & { readonly safeMessage?: unknown; readonly code?: unknown };
  if (error instanceof ServiceError || error instanceof DependencyUnavailableError || safeMessage === true)
    return message;
  const speaks = (typeof code === 'string' || typeof code === 'number') && /^[\w.-]{1,64}$/.test(`${code}`);
  return speaks ? `${className(error)} (${code})` : className(error);
}
