// Asks before an act that ends something.
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { commonTexts } from '../texts/common.ts';
import { openModal } from './focus.ts';

export interface Question {
  readonly title: ComponentChildren;
  /** What the act will end, and whether it can be undone. */
  readonly text: ComponentChildren;
  /** The act, on its button: `Delete tenant`. */
  readonly action: string;
}

const asked = signal<(Question & { readonly answer: (isConfirmed: boolean) => void }) | undefined>(undefined);

/** Asks in a dialog. Resolves with whether the user confirms. */
export function confirm(question: Question): Promise<boolean> {
  asked.value?.answer(false);
  return new Promise((resolve) => {
    asked.value = { ...question, answer: resolve };
  });
}

/** The dialog of `confirm`. The frame contains it once. */
export function Confirmations() {
  const question = asked.value;
  if (!question) return null;
  const close = (isConfirmed: boolean) => {
    asked.value = undefined;
    question.answer(isConfirmed);
  };
  return (
    <dialog ref={openModal} aria-labelledby="question" onClose={() => close(false)}>
      <h2 id="question">{question.title}</h2>
      <div>{question.text}</div>
      <p class="actions">
        <button class="danger" onClick={() => close(true)}>
          {question.action}
        </button>
        <button onClick={() => close(false)}>{commonTexts().cancel}</button>
      </p>
    </dialog>
  );
}
