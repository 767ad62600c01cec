import { FactorServiceService } from '../../proto/gen/authservice/factor/v1/factor_service.ts';
import {
  SessionServiceService,
  type ConfirmSessionRequest,
} from '../../proto/gen/authservice/session/v1/session_service.ts';
import { RpcError } from '../../src/platform/rpc/errors/rpc-error.ts';
import type { GrpcChannel } from '../../src/platform/rpc/grpc/client.ts';
import type { CallOptions } from '../../src/platform/rpc/types.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { readCode } from '../terminal/codes.ts';
import type { Terminal } from '../terminal/terminal.ts';

const TOO_OLD = 'The last login is too old for this.';

/**
 * Returns a function that confirms the session of a command, if an error says that its last login is too old: with the code of the
 * authenticator app if the account has one, else with the password. Returns whether it did. The access token stays valid, because the core reads the time from the session.
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
    readonly terminal: Terminal;
    readonly optionsOf: () => Promise<CallOptions>;
    readonly of: string;
  },
): (error: unknown) => Promise<boolean> {
  return async (error) => {
    if (!(error instanceof RpcError) || error.status.reason !== 'FRESH_SESSION_REQUIRED') return false;
    const { factors } = await channel.client(FactorServiceService).getMyFactors({}, await optionsOf());
    if (!factors?.totp && (factors?.passkeys.length ?? 0) > 0)
      throw new CommandFailure(
        'log in again with a recovery code: the account has passkeys only, and this program cannot use them',
        EXIT.credential,
      );
    const proof = factors?.totp ? await codeOf() : await passwordOf();
    await channel.client(SessionServiceService).confirmSession({ proof }, await optionsOf());
    return true;
  };

  async function passwordOf(): Promise<ConfirmSessionRequest['proof']> {
    const value = terminal.env['AUTHSERVICE_PASSWORD'] ?? (await terminal.readSecret(`${TOO_OLD} Password of ${of}`));
    return { $case: 'password', value };
  }

  async function codeOf(): Promise<ConfirmSessionRequest['proof']> {
    return { $case: 'totp', value: await readCode(terminal, `${TOO_OLD} Code of the authenticator app of ${of}`) };
  }
}
