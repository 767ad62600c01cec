import { useState } from 'preact/hooks';
import { getApplication, updateApplication } from '../../../../client/src/operations.ts';
import { codeOf } from '../../errors.ts';
import { tagOf } from '../../service.ts';
import { Conflict, type Difference } from '../../ui/conflict.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import type { Values } from '../../ui/form.tsx';
import { useService } from '../../ui/frame.tsx';
import { notify } from '../../ui/notices.tsx';
import { useConsole } from '../context.ts';
import { ApplicationField } from './application-field.tsx';
import {
  bodyOf,
  describe,
  fieldOfError,
  FIELDS,
  fieldsOf,
  type FieldName,
  type Section,
  type VersionedApplication,
} from './fields.ts';
import { applicationTexts } from './texts.ts';

interface ChangeApplicationProps {
  readonly section: Section;
  readonly versioned: VersionedApplication;
  readonly onChange: () => void;
  readonly onClose: () => void;
}

/** Changes a part of an application. If somebody else did so meanwhile, both values are shown, and saving again decides. */
export function ChangeApplication({ section, versioned: opened, onChange, onClose }: ChangeApplicationProps) {
  const { session } = useService();
  const { choosesTenant } = useConsole();
  const [tag, setTag] = useState(opened.tag);
  const [differences, setDifferences] = useState<readonly Difference[]>();
  const texts = applicationTexts();
  const { id, type } = opened.application;
  const path = { id };
  const names = fieldsOf(section, type).filter((name) => choosesTenant || !FIELDS[name].isOperators);
  const leave = () => {
    onClose();
    onChange();
  };
  const showConflict = async (mine: ReturnType<typeof bodyOf>) => {
    const { data: saved, headers } = await getApplication(session, { path });
    setTag(tagOf(headers));
    const rowOf = (name: FieldName) => ({
      label: texts[name],
      mine: describe(name, mine[name]),
      saved: describe(name, saved[name]),
    });
    setDifferences(names.map(rowOf).filter((row) => row.mine !== row.saved));
  };
  const save = async (values: Values) => {
    const body = bodyOf(names, values);
    try {
      await updateApplication(session, { path, headers: { 'if-match': tag }, body });
    } catch (error) {
      if (codeOf(error) === 'precondition-failed') return showConflict(body);
      throw error;
    }
    notify(texts.saved);
    leave();
  };
  return (
    <FormDialog title={texts[section]} action={texts.save} onClose={onClose} onSubmit={save} fieldOf={fieldOfError}>
      {differences && <Conflict differences={differences} onDiscard={leave} />}
      {names.map((name, index) => (
        <ApplicationField key={name} name={name} type={type} value={opened.application[name]} autofocus={index === 0} />
      ))}
    </FormDialog>
  );
}
