// Secrets and codes of second factors on the terminal.
import type { Values } from '../command.ts';
import { normalizeCode } from '../../src/platform/formats/code.ts';
import { EXIT, CommandFailure } from '../failure.ts';
import type { Terminal } from './terminal.ts';

/** The option of commands that print secrets for a person. */
export const PRINT_SECRETS = { '--print-secrets': 'print secrets although the standard output is not a terminal' };

/** Throws if secrets would be printed to a file or another program, and the caller did not ask for that. */
export function assertPrintsSecrets(terminal: Terminal, values: Values): void {
  if (terminal.columns !== undefined || values.flag('printSecrets')) return;
  const problem = 'the standard output is not a terminal, and this command prints secrets';
  throw new CommandFailure(`${problem}; allow it with --print-secrets`, EXIT.usage);
}

/** Shows the secret of a TOTP for an authenticator app, as a QR code and as a text, or as a line of JSON. */
export async function showTotpSecret(
  terminal: Terminal,
  { secret, uri }: { readonly secret: string; readonly uri: string },
  json: boolean,
): Promise<void> {
  if (json) return terminal.out(`${JSON.stringify({ secret, uri })}\n`);
  const { renderUnicodeCompact } = await import('uqr');
  terminal.out(`${renderUnicodeCompact(uri)}\n`);
  terminal.out(`Scan the code with an authenticator app, or enter the secret there:\n${inGroups(secret)}\n`);
}

function inGroups(secret: string): string {
  return secret.replaceAll(/.{4}(?=.)/g, '$& ');
}

/** Asks for a code. If no person is there, reads the next line of the standard input. Returns it normalized. */
export async function readCode(terminal: Terminal, prompt: string): Promise<string> {
  const code = (await terminal.ask(`${prompt}: `)) ?? (await terminal.readSecret(prompt));
  return normalizeCode(code);
}

/** Describes new recovery codes. Returns an empty text if there are none. */
export function recoveryCodesText(codes: readonly string[]): string {
  if (codes.length === 0) return '';
  return `\nKeep these recovery codes. Each is valid once. They are not shown again:\n${codes.join('\n')}`;
}
