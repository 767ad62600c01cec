/**
 * The last message of an upload that its client aborts. Node's HTTP/2 ends a stream normally before it resets it, so an
 * aborted upload would look complete. No protobuf message begins with this byte (wire type 7), so servers without this
 * convention refuse the call too.
 */
export const ABORTED_UPLOAD: Buffer = Buffer.from([0x07]);

/**
 * How long the client waits for this message to be sent, in milliseconds. If the server does not read, the message is
 * not needed.
 */
export const ABORT_SEND_TIMEOUT_MS = 50;
