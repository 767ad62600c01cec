import type { ComponentChildren } from 'preact';

/** What is known of a record: a list of `Fact`s. */
export function Facts({ children }: { readonly children: ComponentChildren }) {
  return <dl class="facts">{children}</dl>;
}

interface FactProps {
  readonly label: string;
  readonly children: ComponentChildren;
}

export function Fact({ label, children }: FactProps) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
