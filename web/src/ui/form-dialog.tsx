import type { ComponentChildren } from 'preact';
import { commonTexts } from '../texts/common.ts';
import { Dialog } from './dialog.tsx';
import { Form, Submit, type FormProps } from './form.tsx';

export interface FormDialogProps extends Pick<FormProps, 'onSubmit' | 'fieldOf' | 'focus'> {
  readonly title: string;
  /** What the form does, on its button: `Create tenant`. */
  readonly action: string;
  /** Whether that ends something. */
  readonly isDanger?: boolean;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A form in a dialog. It stays open with its values while the service refuses them. */
export function FormDialog({ title, action, isDanger = false, onClose, children, ...form }: FormDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Form {...form}>
        {children}
        <p class="actions">
          <Submit isDanger={isDanger}>{action}</Submit>
          <button type="button" onClick={onClose}>
            {commonTexts().cancel}
          </button>
        </p>
      </Form>
    </Dialog>
  );
}
