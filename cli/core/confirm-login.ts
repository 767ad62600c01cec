import { SessionServiceService } from '../../proto/gen/authservice/session/v1/session_service.ts';
import { RpcError } from '../../src/platform/rpc/errors/rpc-error.ts';
import type { GrpcChannel } from '../../src/platform/rpc/grpc/client.ts';
import type { CallOptions } from '../../src/platform/rpc/types.ts';
import type { Terminal } from '../terminal/terminal.ts';

/**
 * Returns a function that confirms the session of a command with the password, if an error says that its last login is too old. Returns
 * whether it did. The access token stays valid, because the core reads the time from the session.
 *
 * @param of Who is asked: `alice at dns:///core:50051`.
 */
export function createConfirmLogin(
  channel: Pick<GrpcChannel, 'client'>,
  {
    terminal,
    optionsOf,
    of,
  }: {
    readonly terminal: Pick<Terminal, 'env' | 'readSecret'>;
    readonly optionsOf: () => Promise<CallOptions>;
    readonly of: string;
  },
): (error: unknown) => Promise<boolean> {
  return async (error) => {
    if (!(error instanceof RpcError) || error.status.reason !== 'FRESH_SESSION_REQUIRED') return false;
    const question = `The last login is too old for this. Password of ${of}`;
    const password = terminal.env['AUTHSERVICE_PASSWORD'] ?? (await terminal.readSecret(question));
    await channel.client(SessionServiceService).confirmSession({ password }, await optionsOf());
    return true;
  };
}
