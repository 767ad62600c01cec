// Waits for the outcome of another tab's exchange.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Channel, Message } from '../../src/channel.ts';
import { followOthersExchange } from '../../src/others-exchange.ts';

const LONGEST_MS = 15_000;
const STARTED: Message = { type: 'started' };
const OUTCOMES: readonly Message[] = [
  { type: 'finished' },
  { type: 'ended', sessionId: 'a' },
  { type: 'failed', until: 0, status: 503, code: 'c', message: 'm' },
];

/** A tab that receives messages of another one. */
function otherTab() {
  let receive: (message: Message) => void = () => undefined;
  const channel: Channel = {
    carriesTokens: true,
    send: () => undefined,
    listen(listener) {
      receive = listener;
      return () => undefined;
    },
    close: () => undefined,
  };
  const others = followOthersExchange(channel, LONGEST_MS);
  let waits = 0;
  const wait = () => {
    waits += 1;
    void others.outcome().then(() => (waits -= 1));
    return vi.advanceTimersByTimeAsync(0);
  };
  return { send: (message: Message) => receive(message), wait, waits: () => waits };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the wait for the outcome of another tab', () => {
  it('ends at once if no exchange has begun', async () => {
    const tab = otherTab();
    await tab.wait();
    expect(tab.waits()).toBe(0);
  });

  it.each(OUTCOMES)('ends with the message $type', async (outcome) => {
    const tab = otherTab();
    tab.send(STARTED);
    await tab.wait();
    await vi.advanceTimersByTimeAsync(900);
    expect(tab.waits()).toBe(1);
    tab.send(outcome);
    await vi.advanceTimersByTimeAsync(0);
    expect(tab.waits()).toBe(0);
  });

  it.each(OUTCOMES)('ends at once after the message $type', async (outcome) => {
    const tab = otherTab();
    tab.send(STARTED);
    tab.send(outcome);
    await tab.wait();
    expect(tab.waits()).toBe(0);
  });

  it('ends after a second, once, if the tab was closed', async () => {
    const tab = otherTab();
    tab.send(STARTED);
    await tab.wait();
    await vi.advanceTimersByTimeAsync(999);
    expect(tab.waits()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(tab.waits()).toBe(0);
    await tab.wait();
    expect(tab.waits()).toBe(0);
  });

  it('ends at once if the tab is frozen', async () => {
    const tab = otherTab();
    tab.send(STARTED);
    await vi.advanceTimersByTimeAsync(LONGEST_MS);
    await tab.wait();
    expect(tab.waits()).toBe(0);
  });
});
