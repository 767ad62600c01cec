// Short messages about what has succeeded. They are announced, and disappear.
import { signal } from '@preact/signals';

const SHOWN_MS = 6_000;

const shown = signal<readonly { readonly id: number; readonly text: string }[]>([]);
let last = 0;

/**
 * Shows a message: `notify('Session ended')`. Errors belong at their place instead. An earlier message disappears: what it says may no
 * longer be true.
 */
export function notify(text: string): void {
  const id = (last += 1);
  shown.value = [{ id, text }];
  setTimeout(() => {
    shown.value = shown.value.filter((notice) => notice.id !== id);
  }, SHOWN_MS);
}

/** The region of the messages. The frame contains it once. */
export function Notices() {
  return (
    <div class="notices" role="status">
      {shown.value.map(({ id, text }) => (
        <p key={id}>{text}</p>
      ))}
    </div>
  );
}
