import { useId, useState } from 'preact/hooks';
import { useForm } from '../../ui/form.tsx';
import { applicationTexts } from './texts.ts';

const MAX_BYTES = 32_768;

interface LogoFieldProps {
  readonly name: string;
  readonly label: string;
  readonly hint: string | undefined;
  /** A PNG in base64; '' for none. */
  readonly value: string;
}

/** A field for a picture. The form gets it in base64. */
export function LogoField({ name, label, hint, value }: LogoFieldProps) {
  const id = useId();
  const texts = applicationTexts();
  const [logo, setLogo] = useState(value);
  const [fault, setFault] = useState<string>();
  const error = fault ?? useForm().errors.get(name);
  const choose = async (file: File | undefined) => {
    const bytes = file && new Uint8Array(await file.arrayBuffer());
    if (!bytes) return;
    const isLogo = bytes.length <= MAX_BYTES && bytes[0] === 0x89 && bytes[1] === 0x50;
    setFault(isLogo ? undefined : texts.logoInvalid);
    if (isLogo) setLogo(btoa(Array.from(bytes, (byte) => String.fromCodePoint(byte)).join('')));
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="file"
        accept="image/png"
        aria-invalid={error === undefined ? undefined : true}
        aria-describedby={`${id}-hint`}
        onChange={({ currentTarget }) => void choose(currentTarget.files?.[0])}
      />
      <input type="hidden" name={name} value={logo} />
      <p class="field-error" role="alert">
        {error}
      </p>
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
      {logo !== '' && (
        <p class="actions">
          <Logo base64={logo} />
          <button type="button" class="small" onClick={() => setLogo('')}>
            {texts.logoRemove}
          </button>
        </p>
      )}
    </div>
  );
}

/** A logo beside the name that it belongs to. */
export function Logo({ base64 }: { readonly base64: string }) {
  return <img class="picture" src={`data:image/png;base64,${base64}`} alt="" />;
}
