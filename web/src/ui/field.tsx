import type { ComponentChildren, InputHTMLAttributes, PartialInputHTMLAttributes } from 'preact';
import { useId, useState } from 'preact/hooks';
import { commonTexts } from '../texts/common.ts';
import { useFocus } from './focus.ts';
import { useForm } from './form.tsx';

/** The attributes that fields of the pages have. */
type InputAttributes = Pick<
  PartialInputHTMLAttributes<HTMLInputElement>,
  | 'autocapitalize'
  | 'autocomplete'
  | 'autofocus'
  | 'checked'
  | 'defaultChecked'
  | 'defaultValue'
  | 'disabled'
  | 'enterkeyhint'
  | 'inputMode'
  | 'lang'
  | 'max'
  | 'maxLength'
  | 'min'
  | 'minLength'
  | 'onBlur'
  | 'onInput'
  | 'onKeyDown'
  | 'onKeyUp'
  | 'onMouseDown'
  | 'pattern'
  | 'readOnly'
  | 'required'
  | 'spellcheck'
  | 'title'
  | 'value'
> & { readonly type?: 'date' | 'datetime-local' | 'email' | 'number' | 'password' | 'search' | 'text' | 'url' };

export interface FieldProps extends InputAttributes {
  readonly name: string;
  readonly label: string;
  readonly hint?: ComponentChildren;
}

/** A labelled text field with its error. */
export function Field({ name, label, hint, ...input }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <Input id={id} name={name} hint={hint} {...input} />
    </div>
  );
}

/** A password field with a button that shows the password, and a hint while Caps Lock is on. */
export function PasswordField({ name, label, hint, ...input }: FieldProps) {
  const id = useId();
  const texts = commonTexts();
  const [isShown, setShown] = useState(false);
  const [isCapsLock, setCapsLock] = useState(false);
  const readCapsLock = (event: KeyboardEvent | MouseEvent) => setCapsLock(event.getModifierState('CapsLock'));
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class="with-button">
        <Input
          id={id}
          name={name}
          type={isShown ? 'text' : 'password'}
          autocapitalize="off"
          spellcheck={false}
          hint={isCapsLock ? texts.capsLock : hint}
          onKeyDown={readCapsLock}
          onKeyUp={readCapsLock}
          onMouseDown={readCapsLock}
          onBlur={() => setCapsLock(false)}
          {...input}
        />
        <button
          type="button"
          class="quiet inside"
          aria-pressed={isShown}
          aria-label={texts.showCharacters}
          title={texts.showCharacters}
          onClick={() => setShown(!isShown)}
        >
          <Eye isOpen={!isShown} />
        </button>
      </div>
    </div>
  );
}

interface InputProps extends InputAttributes {
  readonly id: string;
  readonly name: string;
  readonly hint?: ComponentChildren;
}

function Input({ id, name, hint, autofocus, ...input }: InputProps) {
  const field = useFocus<HTMLInputElement>(autofocus === true);
  return (
    <>
      <input ref={field} id={id} name={name} {...useDescription(id, name, hint)} {...(input as InputHTMLAttributes)} />
      <Notes id={id} name={name} hint={hint} />
    </>
  );
}

/** The attributes with which a field refers to its `Notes`. */
function useDescription(id: string, name: string, hint: ComponentChildren) {
  const error = useForm().errors.get(name);
  const described = [error !== undefined && `${id}-error`, hint !== undefined && `${id}-hint`].filter(Boolean);
  return {
    'aria-invalid': error === undefined ? undefined : true,
    'aria-describedby': described.join(' ') || undefined,
  };
}

/** The error and the hint of a field. */
function Notes({ id, name, hint }: Pick<InputProps, 'id' | 'name' | 'hint'>) {
  const error = useForm().errors.get(name);
  return (
    <>
      {/* Regions that exist before their text are announced when it appears. */}
      <p class="field-error" id={`${id}-error`} role="alert">
        {error}
      </p>
      <p class="hint" id={`${id}-hint`} aria-live="polite">
        {hint}
      </p>
    </>
  );
}

interface TextAreaProps extends Pick<FieldProps, 'name' | 'label' | 'hint' | 'maxLength' | 'required'> {
  readonly value: string;
  readonly placeholder?: string;
}

/** A labelled field for several lines. */
export function TextArea({ name, label, hint, value, ...area }: TextAreaProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        name={name}
        rows={4}
        spellcheck={false}
        defaultValue={value}
        {...useDescription(id, name, hint)}
        {...area}
      />
      <Notes id={id} name={name} hint={hint} />
    </div>
  );
}

/** A checkbox with its label. */
export function CheckField({ name, label, hint, ...input }: FieldProps) {
  const id = useId();
  const error = useForm().errors.get(name);
  return (
    <div class="field check">
      <input
        id={id}
        name={name}
        aria-invalid={error === undefined ? undefined : true}
        aria-describedby={hint === undefined ? `${id}-error` : `${id}-error ${id}-hint`}
        {...{ ...input, type: 'checkbox' as const }}
      />
      <label for={id}>{label}</label>
      <p class="field-error" id={`${id}-error`} role="alert">
        {error}
      </p>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

function Eye({ isOpen }: { readonly isOpen: boolean }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d="M2 12s3.6-6.5 10-6.5S22 12 22 12s-3.6 6.5-10 6.5S2 12 2 12z" />
      <circle cx="12" cy="12" r="3" />
      {!isOpen && <path d="M4 4l16 16" />}
    </svg>
  );
}
