import type { InputHTMLAttributes } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface FilterFieldProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly type?: 'text' | 'date';
  readonly maxLength?: number;
  /** Gets the text when it is complete: after Enter, or when the field loses the focus. */
  readonly onChoose: (value: string) => void;
}

/** A filter of a list whose value is typed. */
export function FilterField({ label, value = '', type = 'text', maxLength = 100, onChoose }: FilterFieldProps) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  // Back and forward change the text, too.
  useEffect(() => {
    if (field.current) field.current.value = value;
  }, [value]);
  return (
    <div class="filter">
      <label for={id}>{label}</label>
      <input
        ref={field}
        id={id}
        {...({ type } as InputHTMLAttributes)}
        maxLength={maxLength}
        autocomplete="off"
        spellcheck={false}
        defaultValue={value}
        onChange={({ currentTarget }) => onChoose(currentTarget.value.trim())}
      />
    </div>
  );
}
