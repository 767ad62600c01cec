import { useState } from 'preact/hooks';
import { commonTexts } from '../texts/common.ts';

const CONFIRMED_MS = 2_000;

interface CopyButtonProps {
  readonly text: string;
  readonly label?: string;
  /** What is copied, for screen readers, where several buttons are beside each other. */
  readonly of?: string;
}

/** Copies a text to the clipboard, and says so. Browsers have no clipboard without HTTPS: then it is left out. */
export function CopyButton({ text, label, of }: CopyButtonProps) {
  const texts = commonTexts();
  const [isCopied, setCopied] = useState(false);
  const clipboard = (navigator as { readonly clipboard?: Clipboard }).clipboard;
  if (!clipboard) return null;
  const copy = async () => {
    await clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), CONFIRMED_MS);
  };
  return (
    <button type="button" onClick={() => void copy()}>
      <span aria-live="polite">{isCopied ? texts.copied : (label ?? texts.copy)}</span>
      {of !== undefined && <span class="hidden-text">{of}</span>}
    </button>
  );
}
