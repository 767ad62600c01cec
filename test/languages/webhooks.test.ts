// The receivers of examples/webhooks, with deliveries of a real service.
import { once } from 'node:events';
import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { caller, type Caller } from '../support/callers.ts';
import { deploy, type Deployment } from '../support/deployment.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { run, start } from './commands.ts';
import { pythonEnvironment } from './python-environment.ts';
import { requirePrograms } from './toolchain.ts';
import { openWorkspace } from './workspace.ts';

interface Receiver {
  /** Builds the program in its folder and returns its command. */
  build(folder: string): Promise<readonly [string, ...string[]]>;
}

const RECEIVERS: Readonly<Record<string, Receiver>> = {
  node: {
    async build(cwd) {
      await run('npm', ['ci', '--silent'], { cwd });
      return [process.execPath, 'receiver.js'];
    },
  },
  python: {
    async build(cwd) {
      return [join(await pythonEnvironment(join(cwd, 'requirements.txt')), 'python3'), 'receiver.py'];
    },
  },
  go: {
    async build(cwd) {
      requirePrograms('go');
      await run('go', ['build', '-o', 'target/receiver', '.'], { cwd });
      return [join(cwd, 'target/receiver')];
    },
  },
  java: {
    async build(cwd) {
      requirePrograms('javac');
      await run('javac', ['-Xlint:all', '-Werror', '-d', 'target', 'Receiver.java'], { cwd });
      return ['java', '-cp', 'target', 'Receiver'];
    },
  },
};

let deployment: Deployment;
let admin: Caller;
let workspace: string;
const receivers: ChildProcess[] = [];

beforeAll(async () => {
  workspace = openWorkspace();
  const settings = { 'app.webhooks.allowed-networks': '127.0.0.1' };
  // Receivers refuse old timestamps. The test's clock starts at the real time.
  const databaseUrl = `sqlite:${join(temporaryFolder('webhooks-'), 'test.db')}`;
  deployment = await deploy({ engine: 'sqlite', transport: 'local', settings, databaseUrl });
  admin = await caller(deployment, { roles: ['ADMIN'] });
});
afterEach(async () => {
  for (const receiver of receivers.splice(0)) {
    receiver.kill('SIGKILL');
    await once(receiver, 'close');
  }
});
afterAll(() => deployment?.close());

describe.each(Object.keys(RECEIVERS))('the receiver in %s', (language) => {
  const folder = () => join(workspace, 'examples/webhooks', language);
  let command: readonly [string, ...string[]];
  beforeAll(async () => {
    command = await RECEIVERS[language]!.build(folder());
  });

  /** Starts the receiver. Returns the lines that it prints. */
  async function receive(port: number, secret: string): Promise<readonly string[]> {
    const [program, ...args] = command;
    const env = { PORT: `${port}`, WEBHOOK_SECRET: secret };
    const receiver = start(program, args, { cwd: folder(), env });
    receivers.push(receiver);
    const lines: string[] = [];
    createInterface(receiver.stderr!).on('line', (line) => lines.push(line));
    createInterface(receiver.stdout!).on('line', (line) => lines.push(line));
    await eventually(() => expect(lines).toEqual(['listening']));
    return lines;
  }

  /** Sends a test. Returns the delivery after its first attempt. */
  async function test(id: string): Promise<object> {
    const { body: sent } = await admin.post(`/webhooks/${id}/test`);
    return eventually(async () => {
      const [delivery] = (await admin.get(`/webhooks/${id}/deliveries?perPage=1`)).body;
      expect(delivery).toMatchObject({ id: sent.id, attempts: 1 });
      return delivery;
    });
  }

  it('accepts signed deliveries, also during a rotation, and refuses those by another secret', async () => {
    const port = await freePort();
    const fields = { url: `http://127.0.0.1:${port}/`, events: ['role.created'] };
    const { webhook, secret } = (await admin.post('/webhooks', fields)).body;
    const lines = await receive(port, secret);
    expect(await test(webhook.id)).toMatchObject({ status: 'DELIVERED' });
    await admin.post(`/webhooks/${webhook.id}/rotate-secret`);
    const rotated = (await test(webhook.id)) as { id: string };
    expect(rotated).toMatchObject({ status: 'DELIVERED' });
    await admin.post(`/webhooks/${webhook.id}/deliveries/${rotated.id}/retry`);
    await eventually(async () => {
      const [delivery] = (await admin.get(`/webhooks/${webhook.id}/deliveries?perPage=1`)).body;
      expect(delivery).toMatchObject({ status: 'DELIVERED', attempts: 1 });
    });
    const { webhook: other } = (await admin.post('/webhooks', fields)).body;
    expect(await test(other.id)).toMatchObject({ status: 'PENDING', responseStatus: 400 });
    // The repeated delivery is printed once.
    expect(lines).toEqual(['listening', 'event webhook.test', 'event webhook.test']);
  });
});
