import { CopyButton } from '../ui/copy-button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { consoleTexts } from './texts.ts';

interface SecretDialogProps {
  readonly title: string;
  /** Why it is shown only now, and what it is for. */
  readonly text: string;
  readonly secret: string;
  readonly onClose: () => void;
}

/** A secret that the service shows only once. It is in the memory of the page until the dialog is closed. */
export function SecretDialog({ title, text, secret, onClose }: SecretDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <p class="secret">
        <code>{secret}</code>
      </p>
      <p class="actions">
        <CopyButton text={secret} />
        <button class="primary" onClick={onClose}>
          {consoleTexts().secretStored}
        </button>
      </p>
    </Dialog>
  );
}
