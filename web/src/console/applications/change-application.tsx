import { getApplication, updateApplication, type Application, type Reply } from '../../../../client/src/operations.ts';
import { ChangeForm } from '../change-form.tsx';
import { useService } from '../../ui/frame.tsx';
import { useConsole } from '../context.ts';
import { ApplicationField } from './application-field.tsx';
import { bodyOf, describe, fieldOfError, FIELDS, fieldsOf, type Section } from './fields.ts';
import { applicationTexts } from './texts.ts';

interface ChangeApplicationProps {
  readonly section: Section;
  readonly versioned: Reply<Application>;
  readonly onClose: () => void;
}

/** Changes a part of an application. */
export function ChangeApplication({ section, versioned, onClose }: ChangeApplicationProps) {
  const { session } = useService();
  const { choosesTenant } = useConsole();
  const texts = applicationTexts();
  const application = versioned.data;
  const { id, type } = application;
  const path = { id };
  const names = fieldsOf(section, type).filter((name) => choosesTenant || !FIELDS[name].isOperators);
  return (
    <ChangeForm
      title={texts[section]}
      action={texts.save}
      opened={versioned}
      onClose={onClose}
      fieldOf={fieldOfError}
      read={(values) => bodyOf(names, values)}
      save={(body, headers, reason) => updateApplication(session, { path, headers, body: { ...body, ...reason } })}
      load={() => getApplication(session, { path })}
      compare={(mine, saved) =>
        names.map((name) => ({
          label: texts[name],
          mine: describe(name, mine[name]),
          saved: describe(name, saved[name]),
        }))
      }
      done={texts.saved}
      changes={['applications']}
    >
      {names.map((name, index) => (
        <ApplicationField key={name} name={name} type={type} value={application[name]} autofocus={index === 0} />
      ))}
    </ChangeForm>
  );
}
