// Ports for programs that need the number before they start.
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ports that Linux (from 32,768) and macOS (from 49,152) give to connections: none takes the port before the program does.
 * Above 10,080, which fetch refuses.
 */
const [FIRST, END] = [11_000, 32_000];

/** Returns a port on which nothing listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, END);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
