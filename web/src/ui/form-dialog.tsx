import type { ComponentChildren } from 'preact';
import { commonTexts } from '../texts/common.ts';
import { Dialog } from './dialog.tsx';
import { Form, Submit, type FormProps } from './form.tsx';

interface FormDialogProps extends Pick<FormProps, 'onSubmit' | 'conflict' | 'fieldOf'> {
  readonly title: string;
  /** What the form does, on its button: `Create tenant`. */
  readonly action: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A form in a dialog. It stays open with its values while the service refuses them. */
export function FormDialog({ title, action, onClose, children, ...form }: FormDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <Form {...form}>
        {children}
        <p class="actions">
          <Submit>{action}</Submit>
          <button type="button" onClick={onClose}>
            {commonTexts().cancel}
          </button>
        </p>
      </Form>
    </Dialog>
  );
}
