// Forms: native fields and their validation, with errors at the fields.
import { createContext, type ComponentChildren } from 'preact';
import { useContext, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { textOf, violationsOf } from '../errors.ts';
import { commonTexts } from '../texts/common.ts';
import { Alert } from './alert.tsx';

type FieldErrors = ReadonlyMap<string, string>;

interface FormState {
  readonly errors: FieldErrors;
  readonly isBusy: boolean;
}

const FormContext = createContext<FormState>({ errors: new Map(), isBusy: false });
export const useForm = (): FormState => useContext(FormContext);

/** The values of the fields by their names. A checkbox that is not checked has none. */
export type Values = Readonly<Record<string, string>>;

export interface FormProps {
  /** Sends the values of the fields. If it rejects, the form shows the error at its field, or above the fields. */
  readonly onSubmit: (values: Values) => Promise<unknown>;
  readonly children: ComponentChildren;
  readonly label?: string;
  /** Returns the field of an error without violations. By default, the error is shown above the fields. */
  readonly fieldOf?: (error: unknown) => string | undefined;
  /** The field that gets the focus after an error above the fields. */
  readonly focus?: string;
}

export function Form({ onSubmit, children, label, fieldOf, focus }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const [state, setState] = useState<FormState & { readonly error?: unknown }>({ errors: new Map(), isBusy: false });

  // After the render: a field that was disabled or hidden cannot have the focus.
  useLayoutEffect(() => {
    const [first = state.error === undefined ? undefined : focus] = state.errors.keys();
    // In a long form, the error above the fields is out of sight.
    if (state.error !== undefined) form.current?.querySelector('.alert')?.scrollIntoView({ block: 'nearest' });
    if (state.isBusy || first === undefined) return;
    const field = form.current?.elements.namedItem(first);
    if (field instanceof HTMLElement) field.focus();
    if (field instanceof HTMLInputElement && field.type !== 'checkbox') field.select();
  }, [state]);

  async function submit(): Promise<void> {
    const element = form.current!;
    if (state.isBusy) return;
    trimFields(element);
    const invalid = findInvalidFields(element);
    if (invalid.size > 0) return setState({ errors: invalid, isBusy: false });
    setState({ errors: new Map(), isBusy: true });
    try {
      await onSubmit(valuesOf(element));
      setState({ errors: new Map(), isBusy: false });
    } catch (error) {
      setState({ isBusy: false, ...placeError(element, error, fieldOf?.(error)) });
    }
  }

  return (
    <form
      ref={form}
      noValidate
      aria-label={label}
      aria-busy={state.isBusy}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {state.error !== undefined && <Alert>{textOf(state.error)}</Alert>}
      <FormContext.Provider value={state}>{children}</FormContext.Provider>
    </form>
  );
}

function valuesOf(form: HTMLFormElement): Values {
  const entries = [...new FormData(form)].filter((entry) => typeof entry[1] === 'string');
  return Object.fromEntries(entries as [string, string][]);
}

/** What was pasted often has blanks around it. Only those of a password count. */
function trimFields(form: HTMLFormElement): void {
  for (const field of form.elements) {
    if (!(field instanceof HTMLInputElement) || field.type !== 'text' || field.autocomplete.endsWith('password'))
      continue;
    if (field.value !== field.value.trim()) field.value = field.value.trim();
  }
}

function findInvalidFields(form: HTMLFormElement): FieldErrors {
  const fields = [...form.elements].filter(
    (element) => element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement,
  );
  const texts = commonTexts();
  return new Map(
    fields
      .filter(({ validity }) => !validity.valid)
      .map(({ name, validity, title }) => [name, validity.valueMissing ? texts.required : title || texts.invalid]),
  );
}

/** Returns the error at its fields, or above all fields if the form lacks one of them. */
function placeError(form: HTMLFormElement, error: unknown, field: string | undefined) {
  if (field !== undefined) return { errors: new Map([[field, textOf(error)]]) };
  const fields = [...violationsOf(error)].map(([path, message]) => [fieldOfPath(form, path), message] as const);
  const errors = new Map(fields.filter(([name]) => name !== ''));
  return errors.size === 0 || errors.size < fields.length ? { errors, error } : { errors };
}

/** Returns the field of a member, or of the list that contains it: `roles` of `roles.0`. Returns '' without one. */
function fieldOfPath(form: HTMLFormElement, path: string): string {
  const found = form.elements.namedItem(path) !== null || path === '';
  return found ? path : fieldOfPath(form, path.split('.').slice(0, -1).join('.'));
}

interface SubmitProps {
  readonly children: ComponentChildren;
  /** Whether the form ends something. */
  readonly isDanger?: boolean;
}

/** The main button of a form. It stays focusable while the form is busy, and then does nothing. */
export function Submit({ children, isDanger = false }: SubmitProps) {
  const { isBusy } = useForm();
  return (
    <button class={isDanger ? 'danger' : 'primary'} aria-disabled={isBusy}>
      {children}
    </button>
  );
}
