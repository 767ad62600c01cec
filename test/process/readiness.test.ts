// The management port: balancers send requests as soon as it reports that the process is ready.
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { emptyFolder, endProcesses, freePort, SHOP_SETTINGS, startProgram } from '../support/service-process.ts';

afterEach(endProcesses);

function isListening(port: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(Number(port), '127.0.0.1', () => resolve(true));
    socket.on('error', () => resolve(false)).on('connect', () => socket.destroy());
  });
}

it.each([
  ['gateway', 'app.http.port'],
  ['core', 'app.rpc.port'],
] as const)('the %s is ready only after it listens on %s', async (program, served) => {
  const [port, management] = [await freePort(), await freePort()];
  startProgram(program, {
    settings: {
      ...SHOP_SETTINGS,
      'app.database.url': `sqlite:${join(emptyFolder(), 'service.db')}`,
      [served]: port,
      'app.management.port': management,
    },
  });
  // Several ask at the same time, because the process that starts answers only between pieces of work.
  const readyAt = async () => {
    for (;;) {
      const response = await fetch(`http://127.0.0.1:${management}/health/ready`).catch(() => undefined);
      if (response?.status === 200) return isListening(port);
      await sleep(2);
    }
  };
  expect(await Promise.race(Array.from({ length: 20 }, readyAt))).toBe(true);
});
