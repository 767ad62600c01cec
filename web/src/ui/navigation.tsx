// The screens of a page. On narrow screens, a button with the current one shows the others.
import { useRef, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { commonTexts } from '../texts/common.ts';

export interface NavigationItem {
  readonly path: string;
  /** What follows the path in the link: `?tenantId=acme`. */
  readonly search?: string;
  readonly title: string;
}

const LIST = 'screens';

export function Navigation({ items }: { readonly items: readonly NavigationItem[] }) {
  const [location] = useLocation();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const isCurrent = ({ path }: NavigationItem) =>
    location === path || (path !== '/' && location.startsWith(`${path}/`));
  const texts = commonTexts();

  function closeByKey({ key }: KeyboardEvent): void {
    if (key !== 'Escape' || !isOpen) return;
    setOpen(false);
    button.current?.focus();
  }
  return (
    <nav class="navigation" aria-label={texts.navigation} onKeyDown={closeByKey}>
      {items.length > 0 && (
        <button ref={button} class="menu" aria-expanded={isOpen} aria-controls={LIST} onClick={() => setOpen(!isOpen)}>
          <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
            <path d="M3 5.5h14M3 10h14M3 14.5h14" />
          </svg>
          {items.find(isCurrent)?.title ?? texts.navigation}
        </button>
      )}
      <div id={LIST} class={isOpen ? 'screens open' : 'screens'}>
        {items.map((item) => (
          <Link
            key={item.path}
            href={item.path + (item.search ?? '')}
            aria-current={isCurrent(item) ? 'page' : undefined}
            onClick={() => setOpen(false)}
          >
            {item.title}
          </Link>
        ))}
      </div>
    </nav>
  );
}
