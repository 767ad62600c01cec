// Messages between the tabs of a browser. Tokens are sent by BroadcastChannel only, which stores nothing.
import type { Grant } from './access-token.ts';
import { after } from './timers.ts';

/** Maximum wait for a message from this tab to itself. */
const MARK_MS = 1_000;

/** A message to the other tabs. */
export type Message =
  /** The sender begins the exchange of a refresh token. */
  | { readonly type: 'started' }
  /** The sender has a new access token. */
  | { readonly type: 'granted'; readonly grant: Grant }
  /** Marks a place in the order of messages. */
  | { readonly type: number }
  /** The exchange failed. No tab tries again before this time. */
  | {
      readonly type: 'failed';
      readonly until: number;
      readonly status: number;
      readonly code: string;
      readonly message: string;
    }
  /** The session has ended. */
  | { readonly type: 'ended'; readonly sessionId: string | undefined };

export interface Channel {
  send(message: Message): void;
  /**
   * Resolves when the messages that other tabs sent before have arrived, and those of this tab have left it, at the latest after a
   * second. A lock does not say that: it takes another way through the browser, and on a busy machine it can be faster than a
   * message that was sent before. Undefined without BroadcastChannel.
   */
  readonly fence?: (() => Promise<void>) | undefined;
  /** Returns a function that removes the listener. */
  listen(listener: (message: Message) => void): () => void;
  close(): void;
}

/** Creates the channel of the tabs with this name. Without BroadcastChannel it uses storage events, without tokens. */
export function openChannel(name: string, storage: Storage | undefined): Channel {
  if (typeof BroadcastChannel === 'function') return broadcastChannel(name);
  return storage ? storageChannel(name, storage) : NO_CHANNEL;
}

/** A channel without other tabs. */
export const NO_CHANNEL: Channel = {
  send: () => undefined,
  listen: () => () => undefined,
  close: () => undefined,
};

function broadcastChannel(name: string): Channel {
  const channel = new BroadcastChannel(name);
  // Otherwise it keeps a Node process alive.
  (channel as { unref?: () => void }).unref?.();
  const listen: Channel['listen'] = (listener) => {
    const forward = (event: Event) => listener((event as MessageEvent<Message>).data);
    channel.addEventListener('message', forward);
    return () => channel.removeEventListener('message', forward);
  };
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that rule is about windows
    send: (message) => channel.postMessage(message),
    listen,
    // Messages of one name arrive in their order. So all earlier ones precede a message from this tab to itself.
    async fence() {
      // A channel does not receive its own messages.
      const sender = new BroadcastChannel(name);
      const type = Math.random();
      let stopListening: () => void;
      await new Promise<void>((resolve) => {
        stopListening = listen((message) => message.type === type && resolve());
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that rule is about windows
        sender.postMessage({ type } satisfies Message);
        after(MARK_MS, resolve);
      });
      stopListening!();
      sender.close();
    },
    close: () => channel.close(),
  };
}

function storageChannel(name: string, storage: Storage): Channel {
  const key = `${name}:message`;
  return {
    send(message) {
      if (message.type === 'granted') return;
      // Only a changed value causes an event.
      storage.setItem(key, JSON.stringify({ message, nonce: Math.random() }));
      storage.removeItem(key);
    },
    listen(listener) {
      const forward = ({ key: changed, newValue }: StorageEvent) => {
        if (changed === key && newValue !== null) listener((JSON.parse(newValue) as { message: Message }).message);
      };
      addEventListener('storage', forward);
      return () => removeEventListener('storage', forward);
    },
    close: () => undefined,
  };
}
