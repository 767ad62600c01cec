import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

/** The key `/` leads to the field, unless the user types elsewhere. */
export function useSearchKey(field: RefObject<HTMLInputElement | null>, isSearch = true): void {
  useLayoutEffect(() => {
    if (!isSearch) return undefined;
    const focus = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select, dialog');
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      field.current?.focus();
    };
    document.addEventListener('keydown', focus);
    return () => document.removeEventListener('keydown', focus);
  }, [isSearch]);
}
