import type { ComponentChildren } from 'preact';
import { formatNumber } from '../../format.ts';

interface CountsProps {
  readonly title: string;
  /** Shown if there are no counts. */
  readonly none: string;
  readonly counts: readonly { readonly key: string; readonly label: ComponentChildren; readonly count: number }[];
}

/** A section with a number for each kind of event. */
export function Counts({ title, none, counts }: CountsProps) {
  return (
    <section>
      <h2>{title}</h2>
      {counts.length === 0 ? (
        <p class="quiet-text">{none}</p>
      ) : (
        <dl class="facts">
          {counts.map(({ key, label, count }) => (
            <div key={key}>
              <dt>{label}</dt>
              <dd>{formatNumber(count)}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}
