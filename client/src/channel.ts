// What the tabs of one browser tell each other. Tokens travel by BroadcastChannel only, which keeps nothing.
import type { Grant } from './access-token.ts';

/** A message to the other tabs. */
export type Message =
  /** The sender begins the exchange of a refresh token. */
  | { readonly type: 'started' }
  /** The sender has a new access token. */
  | { readonly type: 'granted'; readonly grant: Grant }
  /** The exchange failed; no tab tries again before this time. */
  | {
      readonly type: 'failed';
      readonly until: number;
      readonly status: number;
      readonly code: string;
      readonly message: string;
    }
  /** The session is over. */
  | { readonly type: 'ended'; readonly sessionId: string | undefined };

export interface Channel {
  /** Whether tokens reach the other tabs. */
  readonly carriesTokens: boolean;
  send(message: Message): void;
  /** Returns a function that ends the listening. */
  listen(listener: (message: Message) => void): () => void;
  close(): void;
}

/** The channel of the tabs that use a name; without BroadcastChannel, storage events that carry no token. */
export function openChannel(name: string, storage: Storage | undefined): Channel {
  if (typeof BroadcastChannel === 'function') return broadcastChannel(name);
  return storage && typeof addEventListener === 'function' ? storageChannel(name, storage) : NO_CHANNEL;
}

/** Reaches no other tab. */
export const NO_CHANNEL: Channel = {
  carriesTokens: false,
  send: () => undefined,
  listen: () => () => undefined,
  close: () => undefined,
};

function broadcastChannel(name: string): Channel {
  const channel = new BroadcastChannel(name);
  // In Node it would keep the process alive.
  (channel as { unref?: () => void }).unref?.();
  return {
    carriesTokens: true,
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is the method of windows
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
      // Only a change of the value is an event.
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
