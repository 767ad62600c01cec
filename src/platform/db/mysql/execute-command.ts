// A command of a mysql2 connection that runs a prepared statement, instead of mysql2's own. It creates fewer objects, copies no
// configuration, and does not parse the columns of a result again that are equal, byte for byte, to those of the last one.
// It uses members of mysql2 that are not documented: docs/decisions/archive/0072-own-execute-command.md.
import type { OutgoingPacket } from './execute-packet.ts';
import { type Packet, type ResultColumns, parseColumns } from './result-columns.ts';

/** A command as mysql2 calls it. */
export interface Command {
  /** mysql2 also calls it, if the connection fails. */
  readonly onResult: (error: Error | null) => void;
  /** Called without a packet to begin, then with each packet. Returns whether the command has ended. */
  execute(packet: Packet | undefined, connection: CommandConnection): boolean;
}

/** The members of a mysql2 connection that a command uses. */
export interface CommandConnection {
  addCommand(command: Command): void;
  writePacket(packet: OutgoingPacket): void;
  _resetSequenceId(): void;
  readonly clientEncoding: string;
  /** Whether the server adds the format of each column to its definition. */
  readonly _mariadbExtendedMetadata: boolean;
}

/** What all connections share of a statement. */
export interface KnownResult {
  /** The columns of its last result. */
  columns: ResultColumns | undefined;
}

/** The rows, or the number of rows that a write matched. */
export type ExecuteResult = object[] | { readonly affectedRows: number };

export type OnResult = (error: Error | null, result?: ExecuteResult) => void;

/** First bytes of packets. */
const OK = 0;
const EOF = 0xfe;
const LOCAL_INFILE = 0xfb;
/** Status flag of the server: another result follows. */
const MORE_RESULTS = 0x08;

/** The packet that comes next. */
const HEADER = 0;
const COLUMN = 1;
const COLUMNS_END = 2;
const ROW = 3;

export class ExecuteCommand implements Command {
  private readonly request: OutgoingPacket;
  private readonly known: KnownResult;
  readonly onResult: OnResult;
  private isStarted = false;
  private next = HEADER;
  private count = 0;
  private received = 0;
  /** Definitions that need no look, because all were equal in one comparison. */
  private isKnown = false;
  /** The columns of the last result, unless a definition differs. */
  private columns: ResultColumns | undefined;
  /** The definitions so far, from the first that differs. */
  private definitions: Buffer[] | undefined;
  private readonly rows: object[] = [];

  constructor(request: OutgoingPacket, known: KnownResult, onResult: OnResult) {
    this.request = request;
    this.known = known;
    this.onResult = onResult;
  }

  execute(packet: Packet | undefined, connection: CommandConnection): boolean {
    if (!this.isStarted) {
      this.isStarted = true;
      connection._resetSequenceId();
      connection.writePacket(this.request);
      return false;
    }
    if (packet!.isError()) {
      this.onResult(packet!.asError(connection.clientEncoding));
      return true;
    }
    switch (this.next) {
      case ROW:
        return this.readRow(packet!);
      case COLUMN:
        this.readColumn(packet!, connection);
        return false;
      case COLUMNS_END:
        this.next = ROW;
        return false;
      default:
        return this.readHeader(packet!);
    }
  }

  private readHeader(packet: Packet): boolean {
    const first = packet.buffer[packet.offset]!;
    if (first === OK) {
      const [affectedRows, insertIdAt] = lengthCoded(packet.buffer, packet.offset + 1);
      const [, statusAt] = lengthCoded(packet.buffer, insertIdAt);
      checkLast(packet.buffer[statusAt]!);
      this.onResult(null, { affectedRows });
      return true;
    }
    // A server may ask for a file of the client.
    if (first === LOCAL_INFILE) throw new Error('The server asks for a file');
    [this.count] = lengthCoded(packet.buffer, packet.offset);
    const { columns } = this.known;
    if (columns?.count === this.count) this.columns = columns;
    this.next = COLUMN;
    return false;
  }

  private readColumn(packet: Packet, connection: CommandConnection): void {
    if (!this.isKnown) this.compareColumn(packet);
    this.received += 1;
    if (this.received < this.count) return;
    if (this.columns === undefined) {
      this.columns = parseColumns(this.definitions!, connection._mariadbExtendedMetadata);
      this.known.columns = this.columns;
    }
    this.next = COLUMNS_END;
  }

  private compareColumn({ buffer, start, end }: Packet): void {
    const { columns, received } = this;
    if (columns !== undefined) {
      const { bytes, ends } = columns;
      // Usually one chunk of the socket has all of them.
      if (received === 0 && isEqual(buffer, start, start + bytes.length, bytes, 0, bytes.length)) {
        this.isKnown = true;
        return;
      }
      const at = received === 0 ? 0 : ends[received - 1]!;
      if (isEqual(buffer, start, end, bytes, at, ends[received]!)) return;
      this.columns = undefined;
      this.definitions = ends.slice(0, received).map((to, index) => bytes.subarray(ends[index - 1] ?? 0, to));
    }
    this.definitions ??= [];
    this.definitions.push(buffer.subarray(start, end));
  }

  private readRow(packet: Packet): boolean {
    // A row begins with 0.
    if (packet.buffer[packet.offset] !== EOF) {
      this.rows.push(this.columns!.readRow(packet));
      return false;
    }
    checkLast(packet.buffer[packet.offset + 3]!);
    this.onResult(null, this.rows);
    return true;
  }
}

function isEqual(one: Buffer, from: number, to: number, other: Buffer, start: number, end: number): boolean {
  return to <= one.length && to - from === end - start && other.compare(one, from, to, start, end) === 0;
}

/** Throws if another result follows, which only procedures return. The connection cannot be used then. */
function checkLast(status: number): void {
  if ((status & MORE_RESULTS) !== 0) throw new Error('A statement with several results cannot be prepared');
}

/** Reads a number of variable length. A count is below 2^48. */
function lengthCoded(bytes: Buffer, at: number): [value: number, end: number] {
  const first = bytes[at]!;
  if (first < 0xfb) return [first, at + 1];
  if (first === 0xfe) return [bytes.readUIntLE(at + 1, 6), at + 9];
  const size = first === 0xfc ? 2 : 3;
  return [bytes.readUIntLE(at + 1, size), at + 1 + size];
}
