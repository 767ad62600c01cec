// Messages between the tabs of a browser. Tokens are sent by BroadcastChannel only, which stores nothing.
import type { Grant } from './access-token.ts';

/** A message to the other tabs. */
export type Message =
  /** The sender begins the exchange of a refresh token. */
  | { readonly type: 'started' }
  /** The sender has a new access token. */
  | { readonly type: 'granted'; readonly grant: Grant }
  /** The exchange of the sender has ended, and its outcome has been sent. */
  | { readonly type: 'finished' }
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
  /** Whether tokens reach the other tabs. */
  readonly carriesTokens: boolean;
  send(message: Message): void;
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
  carriesTokens: false,
  send: () => undefined,
  listen: () => () => undefined,
  close: () => undefined,
};

function broadcastChannel(name: string): Channel {
  const channel = new BroadcastChannel(name);
  // Otherwise it keeps a Node process alive.
  (channel as { unref?: () => void }).unref?.();
  return {
    carriesTokens: true,
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that rule is about windows
    send: (message) => channel.postMessage(message),
    listen(listener) {
      const forward = (event: Event) => listener((event as MessageEvent<Message>).data);
      channel.addEventListener('message', forward);
      return () => channel.removeEventListener('message', forward);
    },
    close: () => channel.close(),
  };
}

function storageChannel(name: string, storage: Storage): Channel {
  const key = `${name}:message`;
  return {
    carriesTokens: false,
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
