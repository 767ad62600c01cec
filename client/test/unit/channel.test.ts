// Messages between tabs, here between two channels of one process.
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openChannel, type Message } from '../../src/channel.ts';

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
    await second.fence!();
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
    void second.fence!().then(() => (isOver = true));
    await first.fence!();
    expect(isOver).toBe(false);
    first.close();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(isOver).toBe(true);
  });
});
