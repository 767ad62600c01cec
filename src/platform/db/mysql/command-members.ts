// Whether this version of mysql2 has the members that ExecuteCommand uses.
import { type PrivateUse, privateMembers } from '../../private-members.ts';
import type { Command, CommandConnection } from './execute-command.ts';
import { pingPacket } from './execute-packet.ts';
import type { Packet } from './result-columns.ts';

export const EXECUTE_COMMAND: PrivateUse = {
  library: 'mysql2',
  without: 'it runs prepared statements itself, which takes more CPU time',
};

const OF_CONNECTION = [
  'addCommand',
  'writePacket',
  '_resetSequenceId',
  'clientEncoding',
  '_mariadbExtendedMetadata',
] as const;
const OF_PACKET = [
  'buffer',
  'start',
  'end',
  'offset',
  'isError',
  'asError',
  'readDateTimeString',
  'readTimeString',
  'parseLengthCodedFloat',
  'parseGeometryValue',
  'parseVector',
  'parseJson',
] as const;

/** Whether packets have all members. Undefined before the first one. */
let packetsHaveAll: boolean | undefined;

/** Tells whether a connection and its packets have all members. The first call of a process reads a packet: the response to a ping. */
export function checkMembers(
  connection: CommandConnection,
  onResult: (error: Error | null, hasAll: boolean) => void,
): void {
  if (packetsHaveAll !== undefined) return onResult(null, packetsHaveAll);
  if (privateMembers<CommandConnection>(connection, OF_CONNECTION, EXECUTE_COMMAND) === undefined) {
    packetsHaveAll = false;
    return onResult(null, false);
  }
  connection.addCommand(
    new Ping((error, hasAll) => {
      if (error === null) packetsHaveAll = hasAll;
      onResult(error, hasAll);
    }),
  );
}

class Ping implements Command {
  readonly onResult: (error: Error | null, hasAll?: boolean) => void;

  constructor(onResult: (error: Error | null, hasAll: boolean) => void) {
    this.onResult = (error, hasAll = false) => onResult(error, hasAll);
  }

  execute(packet: Packet | undefined, connection: CommandConnection): boolean {
    if (packet === undefined) {
      connection._resetSequenceId();
      connection.writePacket(pingPacket());
      return false;
    }
    this.onResult(null, privateMembers<Packet>(packet, OF_PACKET, EXECUTE_COMMAND) !== undefined);
    return true;
  }
}
