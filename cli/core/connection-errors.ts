// Errors of connections to a core, with the core and the remedy instead of the words of the gRPC library.
import { RpcError } from '../../src/platform/rpc/errors/rpc-error.ts';
import { EXIT } from '../exit-codes.ts';
import { CommandFailure } from '../failure.ts';
import { printable } from '../terminal/escape.ts';
import type { Target } from './connection-options.ts';

const PLAIN_TO_TLS =
  'the connection was closed; if the core uses TLS, name its CA with --tls-ca, and with mutual TLS --tls-cert and --tls-key';
const NOT_TRUSTED = 'no trusted authority has signed its certificate; name its CA with --tls-ca';
const NO_CLIENT_CERTIFICATE =
  'it refused the certificate of this client; give a certificate that its CA has signed, with --tls-cert and --tls-key';

/** The problem and its remedy, by the text of the library. The first match counts. `$1` is its first group. */
const PROBLEMS: readonly (readonly [RegExp, string])[] = [
  [/ECONNREFUSED/, 'no process listens there; start the core, or name another one with --core'],
  [/ENOENT/, 'no such socket; start the core, or name another one with --core'],
  [/EACCES/, 'this user may not open the socket'],
  [
    /Name resolution failed|ENOTFOUND|EAI_AGAIN/,
    'the name cannot be resolved; --core accepts dns:///HOST:PORT or unix:/PATH',
  ],
  [/Failed to parse DNS address/, '--core accepts dns:///HOST:PORT or unix:/PATH'],
  [/EHOSTUNREACH|ENETUNREACH/, 'the host cannot be reached'],
  [/wrong version number|packet length too long/, 'the core does not use TLS on this port; omit --tls and --tls-ca'],
  [
    /ALTNAME_INVALID.*not in the cert's (?:altnames|list): (\w.*?)\.? Resolution note/,
    'its certificate is for $1; use such a name in --core',
  ],
  [/ALTNAME_INVALID/, 'its certificate is for other names; use one of them in --core'],
  [/certificate has expired|CERT_HAS_EXPIRED/, 'its certificate has expired'],
  [/unable to verify|self-signed|local issuer|unknown ca|UNABLE_TO/i, NOT_TRUSTED],
  [/alert certificate required|alert bad certificate|alert handshake failure/, NO_CLIENT_CERTIFICATE],
  [
    /Failed to load credentials/,
    'a file of --tls-ca, --tls-cert or --tls-key cannot be used; --tls-cert and --tls-key need each other',
  ],
];

/** Returns a failure that names the core, if no core has answered the call; else the error itself. */
export function explainConnectionError(error: unknown, { core, tls }: Target, timeoutMs: number): unknown {
  // An answer of the core has no cause.
  if (!(error instanceof RpcError) || !(error.cause instanceof Error)) return error;
  const { reason } = error.status;
  if (reason !== 'SERVICE_UNAVAILABLE' && reason !== 'DEADLINE_EXCEEDED') return error;
  const text = error.cause.message;
  const known = describeProblem(text);
  const problem = known ?? (reason === 'DEADLINE_EXCEEDED' ? noResponse(timeoutMs) : closedBy(tls));
  return new CommandFailure(`core ${core}: ${problem}`, EXIT.unavailable, reason);
}

function describeProblem(text: string): string | undefined {
  for (const [pattern, problem] of PROBLEMS) {
    const match = pattern.exec(text);
    // A certificate contains any text, also control characters.
    if (match !== null) return problem.replace('$1', () => printable(match[1] ?? ''));
  }
  return undefined;
}

function noResponse(timeoutMs: number): string {
  return `no response in ${timeoutMs / 1_000} s; --timeout sets a longer limit`;
}

/** A peer that closes the connection gives no reason. */
function closedBy(tls: Target['tls']): string {
  if (tls === undefined) return PLAIN_TO_TLS;
  return tls.cert === undefined ? 'the connection was closed' : NO_CLIENT_CERTIFICATE;
}
