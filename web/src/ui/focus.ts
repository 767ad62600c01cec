import { type RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Returns a ref of an element that gets the focus when it appears. Browsers heed `autofocus` only once per page. */
export function useFocus<Type extends HTMLElement>(isWanted = true): RefObject<Type | null> {
  const element = useRef<Type>(null);
  useEffect(() => {
    if (isWanted) element.current?.focus();
  }, []);
  return element;
}
