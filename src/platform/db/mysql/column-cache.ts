// The server sends the definitions of a result's columns with every result. mysql2 parses them each time, which costs more than the
// rows of a lookup. Here those that are equal, byte for byte, to the ones of the last result of the statement are not parsed again.

/** A packet of mysql2. */
interface Packet {
  readonly sequenceId: number;
  readonly buffer: Buffer;
  readonly start: number;
  readonly end: number;
  /** Where its content begins. */
  readonly offset: number;
  isEOF(): boolean;
}

type Step = (this: ExecuteCommand, packet: Packet, connection: unknown) => Step | null;

type RowParser = object;

/** What a statement's result looks like. */
interface Columns {
  readonly fields: readonly unknown[];
  /** The packets of the definitions, without their headers. */
  readonly packets: readonly Buffer[];
  readonly RowParser: new () => RowParser;
}

/** The state of mysql2's command for a prepared statement while it reads the columns of a result. */
export interface ExecuteCommand {
  readField: Step;
  fieldsEOF: Step;
  row: Step;
  readonly _fields: (readonly unknown[])[];
  _currentFields: readonly unknown[];
  readonly _fieldCount: number;
  _receivedFieldsCount: number;
  _rowParser: RowParser | null;
}

interface CachingCommand extends ExecuteCommand {
  /** The columns of the last result, until one differs. */
  known: Columns | undefined;
  packets: Buffer[];
  learn: (columns: Columns) => void;
}

/** Bytes of a packet before its content: its length and its number. */
const HEADER_BYTES = 4;

/**
 * Remembers the columns of at most `max` statements, those of the oldest are forgotten first. The returned function prepares a
 * command that has been created for `sql` and not yet started.
 */
export function createColumnCache(max: number): (command: ExecuteCommand, sql: string) => void {
  const columnsOf = new Map<string, Columns>();

  return (command, sql) => {
    const caching = command as CachingCommand;
    caching.known = columnsOf.get(sql);
    caching.packets = [];
    caching.learn = (columns) => {
      if (columnsOf.size >= max && !columnsOf.has(sql)) columnsOf.delete(columnsOf.keys().next().value!);
      columnsOf.set(sql, columns);
    };
    caching.readField = readColumn as Step;
  };
}

function readColumn(this: CachingCommand, packet: Packet, connection: unknown): Step {
  const { known, _receivedFieldsCount: index } = this;
  if (known === undefined) return parseColumn.call(this, packet, connection);
  const isSame =
    known.fields.length === this._fieldCount &&
    known.packets[index]!.compare(packet.buffer, packet.offset, packet.end) === 0;
  if (!isSame) {
    this.known = undefined;
    this.packets = known.packets.slice(0, index);
    (this._currentFields as unknown[]).push(...known.fields.slice(0, index));
    return parseColumn.call(this, packet, connection);
  }
  this._receivedFieldsCount += 1;
  return (this._receivedFieldsCount === this._fieldCount ? reuseParser : readColumn) as Step;
}

function parseColumn(this: CachingCommand, packet: Packet, connection: unknown): Step {
  // mysql2 keeps the buffer of a definition. Its own would keep all that was received with it.
  const copy = Buffer.from(packet.buffer.subarray(packet.start, packet.end));
  this.packets.push(copy.subarray(HEADER_BYTES));
  const CopiedPacket = packet.constructor as new (id: number, buffer: Buffer, start: number, end: number) => Packet;
  const parse = (Object.getPrototypeOf(this) as ExecuteCommand).readField;
  parse.call(this, new CopiedPacket(packet.sequenceId, copy, 0, copy.length), connection);
  return (this._receivedFieldsCount === this._fieldCount ? createParser : readColumn) as Step;
}

function createParser(this: CachingCommand, packet: Packet, connection: unknown): Step | null {
  const next = this.fieldsEOF(packet, connection);
  const { _currentFields: fields, packets, _rowParser: parser } = this;
  // A procedure can return several results, which have one text.
  if (parser !== null && this._fields.length === 1)
    this.learn({ fields, packets, RowParser: parser.constructor as new () => RowParser });
  return next;
}

function reuseParser(this: CachingCommand, packet: Packet, connection: unknown): Step | null {
  const { fields, RowParser } = this.known!;
  this._currentFields = fields;
  this._fields[this._fields.length - 1] = fields;
  if (!packet.isEOF()) return this.fieldsEOF(packet, connection);
  this._rowParser = new RowParser();
  return this.row;
}
