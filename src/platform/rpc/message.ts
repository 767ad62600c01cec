/** The codec that ts-proto generates for a message. */
interface Codec<Message> {
  decode(bytes: Uint8Array): Message;
}

const NOTHING = new Uint8Array();

/** A message with the given fields; the others have the defaults of proto3. */
export function createMessage<Message>(codec: Codec<Message>, fields: Partial<NoInfer<Message>> = {}): Message {
  return { ...codec.decode(NOTHING), ...fields };
}

/** The name of an enum's value as the proto spells it; `UNRECOGNIZED` for a value that this version does not know. */
export function enumName(values: Readonly<Record<string, number>>, value: number): string {
  return Object.keys(values).find((name) => values[name] === value) ?? 'UNRECOGNIZED';
}
