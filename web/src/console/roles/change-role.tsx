import { useState } from 'preact/hooks';
import { getRole, updateRole } from '../../../../client/src/operations.ts';
import { codeOf } from '../../errors.ts';
import { tagOf } from '../../service.ts';
import { Conflict, type Difference } from '../../ui/conflict.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import type { Values } from '../../ui/form.tsx';
import { useService } from '../../ui/frame.tsx';
import { notify } from '../../ui/notices.tsx';
import { bodyOf, RoleFields } from './role-fields.tsx';
import { tenantOf, type VersionedRole } from './role.ts';
import { roleTexts } from './texts.ts';

interface ChangeRoleProps {
  readonly versioned: VersionedRole;
  readonly onChange: () => void;
  readonly onClose: () => void;
}

/** Changes a role. If somebody else did so meanwhile, both values are shown, and saving again decides. */
export function ChangeRole({ versioned: opened, onChange, onClose }: ChangeRoleProps) {
  const { session } = useService();
  const [versioned, setVersioned] = useState(opened);
  const [differences, setDifferences] = useState<readonly Difference[]>();
  const texts = roleTexts();
  const target = { path: { name: opened.role.name }, query: tenantOf(opened.role) };

  const showConflict = async (values: Values) => {
    const { data: role, headers } = await getRole(session, target);
    setVersioned({ role, tag: tagOf(headers) });
    const mine = bodyOf(values);
    const rows = [
      { label: texts.description, mine: mine.description ?? '', saved: role.description ?? '' },
      { label: texts.permissions, mine: mine.permissions.join(' '), saved: role.permissions.join(' ') },
      { label: texts.inherits, mine: mine.inherits.join(' '), saved: role.inherits.join(' ') },
    ];
    setDifferences(rows.filter(({ mine: own, saved }) => own !== saved));
  };
  const save = async (values: Values) => {
    try {
      await updateRole(session, { ...target, headers: { 'if-match': versioned.tag }, body: bodyOf(values) });
    } catch (error) {
      if (codeOf(error) === 'precondition-failed') return showConflict(values);
      throw error;
    }
    notify(texts.saved);
    onClose();
    onChange();
  };
  const discard = () => {
    onClose();
    onChange();
  };
  return (
    <FormDialog title={texts.changeRole} action={texts.save} onClose={onClose} onSubmit={save}>
      {differences && <Conflict differences={differences} onDiscard={discard} />}
      <RoleFields role={opened.role} />
    </FormDialog>
  );
}
