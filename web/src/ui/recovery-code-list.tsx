import { download } from '../download.ts';
import { factorTexts } from '../texts/factors.ts';
import { CopyButton } from './copy-button.tsx';
import { CheckField } from './field.tsx';
import { Form, Submit } from './form.tsx';
import { useService } from './frame.tsx';

interface RecoveryCodeListProps {
  readonly codes: readonly string[];
  readonly onSaved: () => void;
}

/** New recovery codes: the service shows them only once, so the user must say that they are saved. */
export function RecoveryCodeList({ codes, onSaved }: RecoveryCodeListProps) {
  const { options } = useService();
  const texts = factorTexts();
  const text = [texts.fileTitle(options.name), '', ...codes, ''].join('\n');
  return (
    <>
      <p>{texts.recoveryCodesText}</p>
      <ol class="recovery-codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <div class="actions">
        <CopyButton text={text} />
        <button onClick={() => download('recovery-codes.txt', text)}>{texts.download}</button>
        <button onClick={() => print()}>{texts.print}</button>
      </div>
      <Form onSubmit={async () => onSaved()}>
        <CheckField name="saved" label={texts.saved} required />
        <Submit>{texts.continue}</Submit>
      </Form>
    </>
  );
}
