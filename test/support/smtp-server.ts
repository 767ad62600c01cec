// A real SMTP server, which the test tells how to respond.
import { createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { listenLocally } from './listen-locally.ts';

// smtp-server asks for the protocol after a failed handshake. Node 26.10 ends with a segmentation fault if the connection has been freed.
const { getProtocol } = TLSSocket.prototype;
TLSSocket.prototype.getProtocol = function (this: TLSSocket & { readonly ssl?: object | null }) {
  return this.ssl ? getProtocol.call(this) : null;
};

/** The next response to a mail: a step, and the status code or the end of the connection. */
export type SmtpFault =
  | { readonly at: 'sender' | 'receiver' | 'content'; readonly code: number; readonly message?: string }
  | { readonly at: 'content'; readonly cut: 'before' | 'after' };

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly isEncrypted: boolean;
  readonly user: string | undefined;
  readonly source: string;
}

/** Starts a server that accepts all mails. `faults` are the responses to the next mails instead. */
export async function startSmtpServer(options: SMTPServerOptions & { readonly password?: string } = {}) {
  const received: ReceivedMail[] = [];
  const faults: SmtpFault[] = [];
  const sockets = new Set<Socket>();
  const { password, ...given } = options;
  /** Connections that wait for their greeting; undefined if none has to. */
  let held: (() => void)[] | undefined;

  const refuse = (step: SmtpFault['at']): Error | undefined => {
    const [fault] = faults;
    if (fault === undefined || fault.at !== step || !('code' in fault)) return undefined;
    faults.shift();
    return Object.assign(new Error(fault.message ?? 'refused by the test'), { responseCode: fault.code });
  };
  const server = new SMTPServer({
    authOptional: password === undefined,
    disabledCommands: given.key === undefined ? ['STARTTLS'] : [],
    allowInsecureAuth: true,
    ...given,
    onConnect: (_session, callback) => void (held ? held.push(callback) : callback()),
    onAuth: (auth, _session, callback) =>
      auth.password === password
        ? callback(null, { user: auth.username ?? '' })
        : callback(Object.assign(new Error('wrong password'), { responseCode: 535 })),
    onMailFrom: (_address, _session, callback) => callback(refuse('sender')),
    onRcptTo: (_address, _session, callback) => callback(refuse('receiver')),
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      const [fault] = faults;
      const cut = fault !== undefined && 'cut' in fault ? faults.shift() && fault.cut : undefined;
      stream.on('data', (chunk: Buffer) => void chunks.push(chunk));
      stream.on('end', () => {
        const failure = refuse('content');
        if (failure) return callback(failure);
        if (cut !== 'before')
          received.push({
            from: session.envelope.mailFrom ? session.envelope.mailFrom.address : '',
            to: session.envelope.rcptTo.map(({ address }) => address),
            isEncrypted: session.secure,
            user: typeof session.user === 'string' ? session.user : undefined,
            source: Buffer.concat(chunks).toString(),
          });
        if (cut === undefined) return callback();
        for (const socket of sockets) socket.destroy();
      });
    },
  });
  server.on('error', () => {});
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const port = await listenLocally(server.server);
  return {
    port,
    received,
    faults,
    /** From now on, the server accepts connections and does not respond. */
    hold() {
      held = [];
    },
    /** The number of connections that wait. */
    heldCount: () => held?.length ?? 0,
    /** Responds again. */
    release() {
      const waiting = held ?? [];
      held = undefined;
      for (const go of waiting) go();
    },
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(resolve);
      }),
  };
}

const DRIP_MS = 50;

/** Starts a server that accepts connections and never responds, or with lines of a greeting that never ends. */
export async function startSilentServer({ drips = false } = {}) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    if (!drips) return;
    socket.write('220 slow.test ESMTP\r\n');
    const timer = setInterval(() => socket.write('250-slow.test\r\n'), DRIP_MS);
    socket.once('close', () => clearInterval(timer));
  });
  const port = await listenLocally(server);
  return {
    port,
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
