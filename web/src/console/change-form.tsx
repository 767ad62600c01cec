import { useState } from 'preact/hooks';
import type { Reply } from '../../../client/src/operations.ts';
import { changed, type Topic } from '../changes.ts';
import { codeOf } from '../errors.ts';
import { tagOf } from '../service.ts';
import { Conflict, type Difference } from '../ui/conflict.tsx';
import { FormDialog, type FormDialogProps } from '../ui/form-dialog.tsx';
import type { Values } from '../ui/form.tsx';
import { notify } from '../ui/notices.tsx';
import { ReasonField, reasonOf, type Reason } from './reason.tsx';

interface ChangeFormProps<Data, Body> extends Omit<FormDialogProps, 'onSubmit'> {
  /** The record when the form was opened. */
  readonly opened: Reply<Data>;
  /** Returns the body of the request. What it throws is shown at its field. */
  readonly read: (values: Values) => Body;
  readonly save: (body: Body, headers: { readonly 'if-match': string }, reason: Reason) => Promise<unknown>;
  /** Loads the record that somebody else has saved. */
  readonly load: () => Promise<Reply<Data>>;
  /** Returns the values of the form beside those that were saved. */
  readonly compare: (mine: Body, saved: Data) => readonly Difference[];
  readonly done: string;
  readonly changes: readonly Topic[];
}

/** A form that changes a record. If somebody else did so meanwhile, both values are shown, and saving again decides. */
export function ChangeForm<Data, Body>(props: ChangeFormProps<Data, Body>) {
  const { opened, read, save, load, compare, done, changes, onClose, children, ...form } = props;
  const [tag, setTag] = useState(tagOf(opened.headers));
  const [differences, setDifferences] = useState<readonly Difference[]>();
  const leave = () => {
    onClose();
    changed(changes);
  };
  const submit = async (values: Values) => {
    const body = read(values);
    try {
      await save(body, { 'if-match': tag }, reasonOf(values));
    } catch (error) {
      if (codeOf(error) !== 'precondition-failed') throw error;
      const { data, headers } = await load();
      setTag(tagOf(headers));
      return setDifferences(compare(body, data).filter(({ mine, saved }) => mine !== saved));
    }
    notify(done);
    leave();
  };
  return (
    <FormDialog {...form} onClose={onClose} onSubmit={submit}>
      {differences && <Conflict differences={differences} onDiscard={leave} />}
      {children}
      <ReasonField />
    </FormDialog>
  );
}
