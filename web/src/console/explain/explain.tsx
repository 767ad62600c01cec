// Why a credential is accepted or refused. The credential is only in the page and in the body of the request.
import { useEffect, useState } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';
import {
  explainCredential,
  type ExplainCredentialRequest,
  type ExplainCredentialResponse,
} from '../../../../client/src/operations.ts';
import { useChanges, type Topic } from '../../changes.ts';
import { ChoiceField } from '../../ui/choice-field.tsx';
import { Field } from '../../ui/field.tsx';
import { Form, Submit, type Values } from '../../ui/form.tsx';
import { useService } from '../../ui/frame.tsx';
import { ConsoleFrame } from '../console-frame.tsx';
import { Explanation } from './explanation.tsx';
import { explainTexts } from './texts.ts';

const KINDS = [
  'bearerToken',
  'refreshCookie',
  'authorizationCode',
  'applicationRefreshToken',
  'apiKey',
  'clientId',
  'username',
] as const;
type Kind = (typeof KINDS)[number];
/** What acts beside a check change. */
const SHOWN: readonly Topic[] = ['users', 'factors', 'sessions', 'tenants', 'service-accounts', 'applications'];
const MAX_CREDENTIAL = 65_536;

/** Credentials whose beginning tells their kind. */
const FORMS: readonly (readonly [RegExp, Kind])[] = [
  [/^eyJ[\w-]*\.[\w-]+\./, 'bearerToken'],
  [/^[\w-]{22}\.\d+\.[\w-]{43}$/, 'applicationRefreshToken'],
  [/^[\w-]{22}\.\d+\.[\w-]{43}\.[\w-]{43}$/, 'refreshCookie'],
  [/^[\w-]{43}$/, 'authorizationCode'],
  [/^[^\s@]+@[^\s@]+$/, 'username'],
];

interface Explained {
  readonly body: ExplainCredentialRequest;
  readonly result: ExplainCredentialResponse;
}

export default function Explain() {
  const { session } = useService();
  const [search] = useSearchParams();
  // A link to this screen can have a username, but never a secret.
  const username = search.get('username') ?? '';
  const [kind, setKind] = useState<Kind>(username === '' ? 'bearerToken' : 'username');
  const [explained, setExplained] = useState<Explained>();
  const texts = explainTexts();
  const load = async (body: ExplainCredentialRequest) =>
    setExplained({ body, result: (await explainCredential(session, { body })).data });
  const explain = (values: Values) => {
    setExplained(undefined);
    return load({ [kind]: values[kind]?.trim() });
  };
  useEffect(() => {
    // The last explanation stays if the service cannot be reached.
    if (explained) load(explained.body).catch(() => undefined);
  }, useChanges(SHOWN));
  return (
    <ConsoleFrame title={texts.title}>
      <div class="record">
        <p>{texts.intro}</p>
        <Form onSubmit={explain} focus={kind}>
          <ChoiceField
            name="kind"
            label={texts.kind}
            value={kind}
            options={KINDS.map((name) => [name, texts[name]])}
            onChoose={(chosen) => setKind(chosen as Kind)}
          />
          <Field
            name={kind}
            label={texts.credential}
            hint={kind === 'username' || kind === 'clientId' ? texts.nameHint : texts.secretHint}
            defaultValue={username}
            required
            maxLength={MAX_CREDENTIAL}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            onInput={({ currentTarget }) => {
              const found = FORMS.find(([form]) => form.test(currentTarget.value.trim()));
              if (found) setKind(found[1]);
            }}
          />
          <p class="actions">
            <Submit>{texts.explain}</Submit>
          </p>
        </Form>
      </div>
      <div role="status">{explained && <Explanation result={explained.result} />}</div>
    </ConsoleFrame>
  );
}
