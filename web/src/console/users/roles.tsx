// The choice of roles.
import { CheckField } from '../../ui/field.tsx';
import { useForm, type Values } from '../../ui/form.tsx';
import { describeRole } from '../roles/role-descriptions.ts';

const PREFIX = 'role:';

interface RoleFieldsProps {
  /** All roles to choose from. */
  readonly names: readonly string[];
  readonly held?: readonly string[];
  readonly legend: string;
}

/** A checkbox for each role. */
export function RoleFields({ names, held = [], legend }: RoleFieldsProps) {
  const { errors } = useForm();
  return (
    <fieldset name="roles">
      <legend>{legend}</legend>
      <div class="checks described">
        {[...new Set([...held, ...names])].map((name) => (
          <CheckField
            key={name}
            name={PREFIX + name}
            label={name}
            hint={describeRole(name)}
            defaultChecked={held.includes(name)}
          />
        ))}
      </div>
      <p class="field-error" role="alert">
        {errors.get('roles')}
      </p>
    </fieldset>
  );
}

/** Returns the chosen roles: those that are held first, so that the primary role stays. */
export function rolesOf(values: Values, held: readonly string[] = []): string[] {
  const chosen = Object.keys(values)
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => name.slice(PREFIX.length));
  return [...held.filter((name) => chosen.includes(name)), ...chosen.filter((name) => !held.includes(name))];
}
