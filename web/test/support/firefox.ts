// Firefox by WebDriver BiDi, its own protocol: https://www.w3.org/TR/webdriver-bidi/. It needs no driver beside the browser.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findBrowser } from '../../../client/test/support/chromium.ts';

const FIREFOX = {
  variable: 'TEST_FIREFOX',
  packageName: 'firefox-esr',
  programs: ['/usr/bin/firefox-esr', '/usr/bin/firefox'],
};
const LISTENING = /WebDriver BiDi listening on (ws:\S+)/;
const PATIENCE_MS = 20_000;

type Json = Readonly<Record<string, any>>; // Replies have a form per command.

export interface Firefox {
  /** The errors of the pages. */
  readonly complaints: readonly string[];
  open(url: string): Promise<void>;
  /** Clicks an element with a role and a name as a user does. */
  click(role: string, name: string): Promise<void>;
  /** Types into a field. */
  type(selector: string, text: string): Promise<void>;
  /** Waits until the function returns a truthy value in the page. */
  waitFor<T>(read: (text: string) => T, text?: string): Promise<T>;
  close(): Promise<void>;
}

/** Starts Firefox without a window, with a profile of its own. */
export async function launchFirefox(): Promise<Firefox> {
  const profile = await mkdtemp(join(tmpdir(), 'firefox-'));
  const flags = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0', 'about:blank'];
  const env = { ...process.env, HOME: profile, LANG: 'en_GB.UTF-8' };
  const child = spawn(findBrowser(FIREFOX), flags, { stdio: ['ignore', 'ignore', 'pipe'], env });
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error('Firefox has ended')));
    createInterface(child.stderr).on('line', (line) => {
      const [, found] = LISTENING.exec(line) ?? [];
      if (found) resolve(found);
    });
  });
  const { send, complaints } = await connect(`${url}/session`);
  await send('session.new', { capabilities: {} });
  await send('session.subscribe', { events: ['log.entryAdded'] });
  const { contexts } = await send('browsingContext.getTree', {});
  const { context } = contexts[0];

  const locate = async (locator: Json): Promise<Json> => {
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end;) {
      const { nodes } = await send('browsingContext.locateNodes', { context, locator, maxNodeCount: 1 });
      if (nodes.length > 0) return { sharedId: nodes[0].sharedId };
    }
    throw new Error(`nothing found: ${JSON.stringify(locator)}`);
  };
  const call = (functionDeclaration: string, args: readonly Json[]) =>
    send('script.callFunction', { functionDeclaration, arguments: args, awaitPromise: true, target: { context } });
  const clickOn = async (element: Json) => {
    await call('(element) => element.scrollIntoView({ block: "center", behavior: "instant" })', [element]);
    const move = { type: 'pointerMove', x: 0, y: 0, origin: { type: 'element', element } };
    const actions = [move, { type: 'pointerDown', button: 0 }, { type: 'pointerUp', button: 0 }];
    await send('input.performActions', { context, actions: [{ type: 'pointer', id: 'mouse', actions }] });
  };

  return {
    complaints,
    open: async (target) => {
      await send('browsingContext.navigate', { context, url: target, wait: 'complete' });
    },
    click: async (role, name) => clickOn(await locate({ type: 'accessibility', value: { role, name } })),
    async type(selector, text) {
      await clickOn(await locate({ type: 'css', value: selector }));
      const actions = [...text].flatMap((value) => [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ]);
      await send('input.performActions', { context, actions: [{ type: 'key', id: 'keyboard', actions }] });
    },
    async waitFor(read, text = '') {
      for (const end = Date.now() + PATIENCE_MS; Date.now() < end;) {
        const { result } = await call(String(read), [{ type: 'string', value: text }]);
        if (result?.value) return result.value;
      }
      const { result } = await call('() => document.body.innerText', []);
      throw new Error(`${String(read)} of "${text}" stays false in: ${result.value}`);
    },
    async close() {
      child.kill();
      if (child.exitCode === null) await once(child, 'exit');
      await rm(profile, { recursive: true, force: true });
    },
  };
}

/** Opens the connection of a session. */
async function connect(url: string) {
  const socket = new WebSocket(url);
  await once(socket, 'open');
  const complaints: string[] = [];
  const waiting = new Map<number, PromiseWithResolvers<Json>>();
  let last = 0;
  socket.addEventListener('message', ({ data }) => {
    const { id, type, result, message, method, params }: Json = JSON.parse(String(data));
    if (method === 'log.entryAdded' && params.level === 'error') complaints.push(params.text);
    if (type === 'success') waiting.get(id)?.resolve(result);
    if (type === 'error') waiting.get(id)?.reject(new Error(message));
  });
  const ended = () => new Error('Firefox has ended');
  socket.addEventListener('close', () => {
    for (const { reject } of waiting.values()) reject(ended());
  });
  const send = async (method: string, params: Json): Promise<Json> => {
    if (socket.readyState !== WebSocket.OPEN) throw ended();
    last += 1;
    const answer = Promise.withResolvers<Json>();
    waiting.set(last, answer);
    socket.send(JSON.stringify({ id: last, method, params }));
    return answer.promise;
  };
  return { send, complaints };
}
