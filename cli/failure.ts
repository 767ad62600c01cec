// Failures of commands: one plain line and an exit code.
import { ConfigurationError } from '../src/platform/config/load.ts';
import { isDefect } from '../src/platform/errors.ts';
import { originalStack } from '../src/platform/original-stack.ts';
import { UnusableDatabaseError } from '../src/composition/usable-database.ts';
import { RpcError } from '../src/platform/rpc/errors/rpc-error.ts';

/** Ends a command with a message and an exit code. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly exitCode: ExitCode;
  /** The reason of an error of the service. */
  readonly reason: string | undefined;

  constructor(message: string, exitCode: ExitCode = EXIT.failed, reason?: string) {
    super(message);
    this.exitCode = exitCode;
    this.reason = reason;
  }
}

/** A failure as the user sees it. */
export interface Failure {
  readonly exitCode: ExitCode;
  /** The reason of an error of the service, such as `NOT_FOUND`. */
  readonly reason?: string | undefined;
  readonly message: string;
}

const OUTAGES = ['SERVICE_UNAVAILABLE', 'AUTHENTICATION_SERVICE_UNAVAILABLE', 'DEADLINE_EXCEEDED'];
/** The errors that a login mends. */
const WITHOUT_LOGIN = ['TOKEN_MISSING', 'TOKEN_INVALID', 'SUBJECT_UNKNOWN'];
const LOGIN_HINT = 'run authservice login, or check AUTHSERVICE_TOKEN and AUTHSERVICE_API_KEY';
const REFUSED_CREDENTIALS = [
  ...WITHOUT_LOGIN,
  'REFRESH_SESSION_INVALID',
  'BAD_CREDENTIALS',
  'ACCOUNT_NOT_FOUND',
  'ACCOUNT_LOCKED',
  'ACCOUNT_DISABLED',
  'ACCOUNT_EXPIRED',
  'CREDENTIALS_EXPIRED',
  'LOGIN_POLICY_REJECTED',
  'CHALLENGE_INVALID',
  'SECOND_FACTOR_INVALID',
  'SECOND_FACTOR_LOCKED',
];

/** Converts an error to a failure. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CommandFailure)
    return { exitCode: error.exitCode, reason: error.reason, message: error.message };
  if (error instanceof ConfigurationError) return { exitCode: EXIT.usage, message: error.message };
  if (error instanceof UnusableDatabaseError) return { exitCode: EXIT.unavailable, message: error.message };
  if (error instanceof RpcError) return failureOfCall(error);
  if (isDefect(error)) return { exitCode: EXIT.failed, message: `unexpected error: ${defectText(error)}` };
  return { exitCode: EXIT.failed, message: describeFileError(error) ?? (error as Error).message };
}

/** The error and the place where it was thrown, in one line. */
function defectText(error: unknown): string {
  const stack = (error as Error | undefined)?.stack;
  const [first = String(error), place = ''] = stack === undefined ? [] : originalStack(stack).split('\n');
  return `${first} ${place.trim()}`.trim();
}

function failureOfCall({ status, cause }: RpcError): Failure {
  const { reason } = status;
  const violations = status.violations.map(({ props, message }) => `${props?.join('.') ?? 'request'} ${message}`);
  const detail = violations.length > 0 ? violations.join('; ') : (cause as Error | undefined)?.message;
  const problem = detail === undefined ? status.message : `${status.message}: ${detail}`;
  const message = WITHOUT_LOGIN.includes(reason) ? `${problem}; ${LOGIN_HINT}` : problem;
  const exitCode = OUTAGES.includes(reason)
    ? EXIT.unavailable
    : REFUSED_CREDENTIALS.includes(reason)
      ? EXIT.credential
      : EXIT.failed;
  return { exitCode, reason, message };
}

/** The exit codes of all commands. */
export const EXIT = { done: 0, failed: 1, usage: 2, credential: 3, unavailable: 4, interrupted: 130 } as const;

type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The meaning of each exit code, for the help and the documentation. */
export const EXIT_CODES: readonly (readonly [ExitCode, string])[] = [
  [EXIT.done, 'done'],
  [EXIT.failed, 'the command was refused or failed'],
  [EXIT.usage, 'invalid arguments or settings'],
  [EXIT.credential, 'no login, or the credential was refused'],
  [EXIT.unavailable, 'the core or the database is unreachable or unusable'],
  [EXIT.interrupted, 'ended by Ctrl-C'],
];

/** The problem of a file, by the code of Node. */
const PROBLEMS: Readonly<Record<string, string>> = {
  EEXIST: 'exists already; name a file that does not exist yet',
  ENOENT: 'no such file or folder',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'is a folder; name a file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the disk',
};

/** Describes an error of a file. Returns undefined for other errors. */
function describeFileError(error: unknown): string | undefined {
  const { code = '', path } = error as NodeJS.ErrnoException;
  const problem = PROBLEMS[code];
  return problem === undefined || path === undefined ? undefined : `${path}: ${problem}`;
}
