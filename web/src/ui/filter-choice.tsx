import { useId } from 'preact/hooks';
import { commonTexts } from '../texts/common.ts';

interface FilterChoiceProps {
  readonly label: string;
  readonly value: string | undefined;
  /** The values and their texts. */
  readonly options: readonly (readonly [value: string, text: string])[];
  /** What none of them means. Default: all. */
  readonly none?: string | undefined;
  /** Gets an empty text for none. */
  readonly onChoose: (value: string) => void;
}

/** A filter of a list, beside its search. */
export function FilterChoice({ label, value = '', options, none, onChoose }: FilterChoiceProps) {
  const id = useId();
  return (
    <div class="filter">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        <option value="">{none ?? commonTexts().all}</option>
        {options.map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
