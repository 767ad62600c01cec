import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { serviceAccountTexts } from './texts.ts';

interface SecretDialogProps {
  readonly title: string;
  readonly secret: string;
  readonly onClose: () => void;
}

/** A secret that the service shows only once. It is in the memory of the page until the dialog is closed. */
export function SecretDialog({ title, secret, onClose }: SecretDialogProps) {
  const texts = serviceAccountTexts();
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{texts.shownOnce}</p>
      <p class="secret">
        <code>{secret}</code>
      </p>
      <p class="actions">
        <CopyButton text={secret} />
        <button class="primary" onClick={onClose}>
          {texts.stored}
        </button>
      </p>
    </Dialog>
  );
}
