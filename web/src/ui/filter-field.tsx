import type { InputHTMLAttributes } from 'preact';
import { useLayoutEffect, useId, useRef } from 'preact/hooks';
import { useSearchKey } from './search-key.ts';

interface FilterFieldProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly type?: 'text' | 'date';
  readonly maxLength?: number;
  /** Whether the key `/` leads to it: in lists without a search. */
  readonly isSearch?: boolean;
  /** Gets the text when it is complete: after Enter, or when the field loses the focus. */
  readonly onChoose: (value: string) => void;
}

/** A filter of a list whose value is typed. */
export function FilterField(props: FilterFieldProps) {
  const { label, value = '', type = 'text', maxLength = 100, isSearch = false, onChoose } = props;
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  useSearchKey(field, isSearch);
  // Back and forward change the text, too.
  useLayoutEffect(() => {
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
