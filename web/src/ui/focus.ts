// The focus moves in the same turn in which the user sees the screen: keys that are pressed in between would go elsewhere.
import { type RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Returns a ref of an element that gets the focus when it appears. Browsers heed `autofocus` only once per page. */
export function useFocus<Type extends HTMLElement>(isWanted = true): RefObject<Type | null> {
  const element = useRef<Type>(null);
  useLayoutEffect(() => {
    if (isWanted) element.current?.focus();
  }, []);
  return element;
}

/** Where the focus was before the dialog that closes in this turn. Another one may take its place. */
let beforeClosed: Element | null = null;

/** The ref of a dialog: opens it before its fields ask for the focus. When it is gone, the focus is where it was before. */
export function openModal(dialog: HTMLDialogElement | null): () => void {
  const before = beforeClosed ?? document.activeElement;
  dialog?.showModal();
  return () => {
    beforeClosed = before;
    // Until the dialog has been removed, nothing behind it can have the focus.
    queueMicrotask(() => {
      beforeClosed = null;
      if (document.activeElement === document.body && before instanceof HTMLElement) before.focus();
    });
  };
}
