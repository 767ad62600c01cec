/**
 * The last message of an upload that its client gives up. Node's HTTP/2 ends a stream in good order before it resets
 * it, so that a torn upload would pass for a whole one. No protobuf message begins with this byte (wire type 7), so
 * that servers which do not know the convention refuse the call as well.
 */
export const TORN: Buffer = Buffer.from([0x07]);

/** How long the last message may take where the server does not read, in milliseconds; unsent, it is not needed. */
export const TORN_PATIENCE_MS = 50;
