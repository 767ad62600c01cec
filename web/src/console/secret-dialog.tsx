import { CodeBlock } from '../ui/code-block.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { consoleTexts } from './texts.ts';

interface SecretDialogProps {
  readonly title: string;
  /** Why it is shown only now, and what it is for. */
  readonly text: string;
  readonly secret: string;
  /** How it is used, such as a command. */
  readonly usage?: string | undefined;
  readonly onClose: () => void;
}

/** A secret that the service shows only once. It is in the memory of the page until the dialog is closed. */
export function SecretDialog({ title, text, secret, usage, onClose }: SecretDialogProps) {
  const texts = consoleTexts();
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <p class="secret">
        <code>{secret}</code>
      </p>
      {usage !== undefined && (
        <>
          <p>{texts.secretUsage}</p>
          <CodeBlock text={usage} label={texts.copyUsage} />
        </>
      )}
      <p class="actions">
        <CopyButton text={secret} />
        <button class="primary" onClick={onClose}>
          {texts.secretStored}
        </button>
      </p>
    </Dialog>
  );
}
