import { useId } from 'preact/hooks';

interface ChoiceFieldProps {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  /** The values and their texts. */
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly hint?: string | undefined;
  readonly onChoose?: (value: string) => void;
}

/** A labelled choice in a form. */
export function ChoiceField({ name, label, value, options, hint, onChoose }: ChoiceFieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        name={name}
        {...(onChoose ? { value } : {})}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={({ currentTarget }) => onChoose?.(currentTarget.value)}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option} selected={option === value}>
            {text}
          </option>
        ))}
      </select>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
