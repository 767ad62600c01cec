// What an application would get for an account at this moment, or why it would be refused. Nothing is stored.
import { useState } from 'preact/hooks';
import {
  previewApplication,
  type Application,
  type PreviewApplicationResponse,
} from '../../../../client/src/operations.ts';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, Submit, type Values } from '../../ui/form.tsx';
import { useService } from '../../ui/frame.tsx';
import { Status } from '../../ui/status.tsx';
import { applicationTexts } from './texts.ts';

export function ApplicationPreview({ application: { id } }: { readonly application: Application }) {
  const { session } = useService();
  const [result, setResult] = useState<PreviewApplicationResponse>();
  const texts = applicationTexts();
  const preview = async ({ username = '' }: Values) => {
    setResult(undefined);
    setResult((await previewApplication(session, { path: { id }, body: { username: username.trim() } })).data);
  };
  return (
    <section class="part narrow-part">
      <h2>{texts.preview}</h2>
      <p class="quiet-text">{texts.previewText}</p>
      <Form onSubmit={preview} focus="username" label={texts.preview}>
        <Field
          name="username"
          label={texts.previewUsername}
          required
          maxLength={320}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
        />
        <p class="actions">
          <Submit>{texts.previewAct}</Submit>
        </p>
      </Form>
      <div role="status">{result && <Outcome result={result} />}</div>
    </section>
  );
}

function Outcome({ result: { outcome, reasons, idToken, userinfo } }: { readonly result: PreviewApplicationResponse }) {
  const texts = applicationTexts();
  if (outcome === 'REFUSED')
    return (
      <>
        <h3>
          <Status kind="bad">{texts.previewRefused}</Status>
        </h3>
        <ul>
          {reasons.map((reason) => (
            <li key={reason}>
              <bdi lang="en">{reason}</bdi>
            </li>
          ))}
        </ul>
      </>
    );
  return (
    <>
      <h3>
        <Status kind="good">{texts.previewAllowed}</Status>
      </h3>
      {idToken === undefined && <p>{texts.previewNoClaims}</p>}
      {[
        [texts.idToken, idToken],
        [texts.userinfo, userinfo],
      ].map(
        ([title, claims]) =>
          claims !== undefined && <Claims key={title as string} title={title as string} claims={claims as object} />,
      )}
    </>
  );
}

function Claims({ title, claims }: { readonly title: string; readonly claims: object }) {
  return (
    <>
      <h4>{title}</h4>
      <Facts>
        {Object.entries(claims).map(([name, value]) => (
          <Fact key={name} label={name}>
            <code>{typeof value === 'string' ? value : JSON.stringify(value)}</code>
          </Fact>
        ))}
      </Facts>
    </>
  );
}
