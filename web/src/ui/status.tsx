import type { ComponentChildren } from 'preact';

interface StatusProps {
  readonly kind: 'good' | 'warn' | 'bad';
  readonly children: ComponentChildren;
}

/** The state of a record, with a mark whose shape differs as its colour does. */
export function Status({ kind, children }: StatusProps) {
  return <span class={`status ${kind}`}>{children}</span>;
}
