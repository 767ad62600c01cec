import type { ComponentChildren } from 'preact';

interface AlertProps {
  readonly kind?: 'error' | 'warning' | 'success';
  readonly children: ComponentChildren;
}

/** A message that is announced when it appears. */
export function Alert({ kind = 'error', children }: AlertProps) {
  return (
    <div class={`alert ${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}
