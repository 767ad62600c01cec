// A proxy in front of a MySQL server that loses answers: the server carries out a statement, and the client never learns.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface MysqlProxy {
  /** The server's URL with the proxy's port. */
  readonly url: string;
  /**
   * Cuts the next connection that sends a statement of this pattern, when the server has answered it. With `isLast`,
   * accepts no further connection and cuts all others, until `restore`. Resolves when that has happened. With
   * `commitOf`, the pattern names a statement of a transaction, whose COMMIT is the statement that is answered: the
   * transactions of background jobs go on.
   */
  loseResponse(pattern: RegExp, how?: { readonly isLast?: boolean; readonly commitOf?: boolean }): Promise<void>;
  /** Leaves all bytes lie in both directions, without closing connections, until `restore`. */
  freeze(): void;
  restore(): void;
  close(): Promise<void>;
}

const COM_QUERY = 0x03;
const COM_STMT_PREPARE = 0x16;
const COM_STMT_EXECUTE = 0x17;
const HEADER = 4;

// A transaction commits by turning autocommit on.
const COMMIT = /SET SESSION autocommit = IF/;

interface Loss {
  readonly pattern: RegExp;
  readonly isLast: boolean;
  readonly commitOf: boolean;
  done(): void;
}

export async function startMysqlProxy(serverUrl: string): Promise<MysqlProxy> {
  const target = new URL(serverUrl);
  const sockets = new Set<Socket>();
  let loss: Loss | undefined;
  let isDown = false;
  let isFrozen = false;

  const destroyAll = () => sockets.forEach((socket) => socket.destroy());

  const server = createServer((client) => {
    if (isDown) return void client.destroy();
    const upstream = connect(Number(target.port), target.hostname);
    const watch = createStatementWatch();
    let lost: Loss | undefined;
    /** Whether the open transaction of this connection contains the statement of a loss. */
    let isMeant = false;
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      if (isFrozen) from.pause();
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
    client.on('data', (data: Buffer) => {
      const text = watch.sent(data);
      if (loss && text !== undefined) {
        const isCommit = COMMIT.test(text);
        if (loss.commitOf ? isCommit && isMeant : loss.pattern.test(text)) {
          lost = loss;
          loss = undefined;
        } else isMeant = !isCommit && (isMeant || loss.pattern.test(text));
      }
      upstream.write(data);
    });
    upstream.on('data', (data: Buffer) => {
      watch.answered(data);
      if (!lost) return void client.write(data);
      isDown = lost.isLast;
      if (isDown) destroyAll();
      client.destroy();
      lost.done();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(serverUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    loseResponse: (pattern, { isLast = false, commitOf = false } = {}) =>
      new Promise((done) => {
        loss = { pattern, isLast, commitOf, done };
      }),
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.pause();
    },
    restore() {
      isDown = false;
      isFrozen = false;
      for (const socket of sockets) socket.resume();
    },
    async close() {
      destroyAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Reads the texts of statements. A client sends one command at a time and waits for its response. */
function createStatementWatch() {
  const prepared = new Map<number, string>();
  let preparing: string | undefined;
  return {
    /** Returns the text of the statement that the client runs. */
    sent(data: Buffer): string | undefined {
      let text: string | undefined;
      for (let at = 0; at + HEADER < data.length; at += HEADER + data.readUIntLE(at, 3)) {
        const command = data[at + HEADER];
        const body = data.subarray(at + HEADER + 1, at + HEADER + data.readUIntLE(at, 3));
        if (command === COM_STMT_PREPARE) preparing = body.toString();
        if (command === COM_QUERY) text = body.toString();
        if (command === COM_STMT_EXECUTE) text = prepared.get(body.readUInt32LE(0));
      }
      return text;
    },
    answered(data: Buffer): void {
      if (preparing === undefined) return;
      if (data[HEADER] === 0) prepared.set(data.readUInt32LE(HEADER + 1), preparing);
      preparing = undefined;
    },
  };
}
