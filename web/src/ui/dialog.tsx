import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { commonTexts } from '../texts/common.ts';

interface DialogProps {
  readonly title: string;
  /** Is called when the user closes it. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A dialog that is open as long as it is rendered. Afterwards the focus is where it was before. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}>
      <div class="title">
        <h2 id={id}>{title}</h2>
        <button type="button" class="quiet" onClick={onClose}>
          {commonTexts().close}
        </button>
      </div>
      {children}
    </dialog>
  );
}
