// Messages between tabs, here between two channels of one process.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { NO_CHANNEL, openChannel, type Message } from '../../src/channel.ts';
import { memoryStorage } from './helpers.ts';

let count = 0;
const openPair = () => {
  const name = `channel-test-${(count += 1)}`;
  return [openChannel(name, undefined), openChannel(name, undefined)] as const;
};

afterEach(() => void vi.useRealTimers());

describe('the wait for earlier messages', () => {
  it('ends after all of them have arrived', async () => {
    const [first, second] = openPair();
    const received: Message[] = [];
    second.listen((message) => received.push(message));
    for (let i = 0; i < 1_000; i += 1) first.send({ type: 'ended', sessionId: String(i) });
    await second.earlierMessages();
    const ended = received.flatMap((message) => (message.type === 'ended' ? [message.sessionId] : []));
    expect(ended).toEqual(Array.from({ length: 1_000 }, (_, i) => String(i)));
    first.close();
    second.close();
  });

  it('does not end with the mark of another tab', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const [first, second] = openPair();
    second.close();
    let isOver = false;
    void second.earlierMessages().then(() => (isOver = true));
    await first.earlierMessages();
    expect(isOver).toBe(false);
    first.close();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(isOver).toBe(true);
  });

  it.each([
    ['of a channel without other tabs', () => NO_CHANNEL],
    ['of a browser without BroadcastChannel', () => withoutBroadcastChannel(() => openChannel('any', memoryStorage()))],
  ])('%s ends at once', async (_, open) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let isOver = false;
    void open()
      .earlierMessages()
      .then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(0);
    expect(isOver).toBe(true);
  });
});

function withoutBroadcastChannel<T>(run: () => T): T {
  vi.stubGlobal('BroadcastChannel', undefined);
  try {
    return run();
  } finally {
    vi.unstubAllGlobals();
  }
}
