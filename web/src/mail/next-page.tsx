import type { ComponentChildren } from 'preact';
import { pagePath } from '../service.ts';
import { CardPage } from '../ui/frame.tsx';

interface NextPageProps {
  readonly title: string;
  readonly children: ComponentChildren;
  /** Path of the page that follows: `/login`. */
  readonly path: string;
  readonly action: string;
}

/** The end of a page: its result, and where to go on. */
export function NextPage({ title, children, path, action }: NextPageProps) {
  return (
    <CardPage title={title}>
      {children}
      <p class="actions">
        <a class="button primary" href={pagePath(path)}>
          {action}
        </a>
      </p>
    </CardPage>
  );
}
