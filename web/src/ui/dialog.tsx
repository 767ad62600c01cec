import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { commonTexts } from '../texts/common.ts';
import { openModal } from './focus.ts';

interface DialogProps {
  readonly title: string;
  /** Is called when the user closes it. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A dialog that is open as long as it is rendered. Afterwards the focus is where it was before. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const id = useId();
  return (
    <dialog ref={openModal} aria-labelledby={id} onClose={onClose}>
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
