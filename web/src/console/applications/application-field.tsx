import type { Application } from '../../../../client/src/operations.ts';
import { ChoiceField } from '../../ui/choice-field.tsx';
import { CheckField, Field, TextArea } from '../../ui/field.tsx';
import { FIELDS, SCOPES, scopeField, toText, type FieldName } from './fields.ts';
import { LogoField } from './logo-field.tsx';
import { applicationTexts } from './texts.ts';

interface ApplicationFieldProps {
  readonly name: FieldName;
  readonly type: Application['type'];
  /** The value that it has. */
  readonly value?: unknown;
  readonly autofocus?: boolean;
}

/** The field of a form for a field of an application. */
export function ApplicationField({ name, type, value, autofocus = false }: ApplicationFieldProps) {
  const texts = applicationTexts();
  const { kind, options, maxLength } = FIELDS[name];
  const common = { name, label: texts[name], hint: hintOf(name, type) };
  const text = toText(name, value);
  switch (kind) {
    case 'flag':
      return <CheckField {...common} defaultChecked={value === true} />;
    case 'choice':
      return <ChoiceField {...common} value={text} options={options!()} />;
    case 'lines':
      return <TextArea {...common} value={text} maxLength={42_000} required={false} />;
    case 'json':
      return <TextArea {...common} value={text} maxLength={16_384} />;
    case 'seconds':
      return <Field {...common} type="number" min={60} defaultValue={text} />;
    case 'logo':
      return <LogoField {...common} value={text} />;
    case 'scopes':
      return <ScopeFields {...common} chosen={(value as readonly string[] | undefined) ?? SCOPES} />;
    default:
      return (
        <Field
          {...common}
          defaultValue={text}
          required={name === 'name'}
          {...(maxLength !== undefined && { maxLength })}
          autofocus={autofocus}
          autocomplete="off"
          {...(name !== 'name' && { autocapitalize: 'off', spellcheck: false })}
        />
      );
  }
}

function hintOf(name: FieldName, type: Application['type']): string | undefined {
  const texts = applicationTexts();
  if (name === 'redirectUris' && type === 'NATIVE') return texts.redirectUrisHintNative;
  if (FIELDS[name].kind === 'seconds') return texts.secondsHint;
  return (texts as Readonly<Record<string, unknown>>)[`${name}Hint`] as string | undefined;
}

interface ScopeFieldsProps {
  readonly name: string;
  readonly label: string;
  readonly hint: string | undefined;
  readonly chosen: readonly string[];
}

function ScopeFields({ name, label, hint, chosen }: ScopeFieldsProps) {
  return (
    <fieldset name={name}>
      <legend>{label}</legend>
      <div class="checks">
        {SCOPES.map((scope) => (
          <CheckField key={scope} name={scopeField(scope)} label={scope} defaultChecked={chosen.includes(scope)} />
        ))}
      </div>
      <p class="hint">{hint}</p>
    </fieldset>
  );
}
