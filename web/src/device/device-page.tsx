import { useState } from 'preact/hooks';
import { getDeviceRequest, type GetDeviceRequestResponse } from '../../../client/src/operations.ts';
import { codeOf, PageError } from '../errors.ts';
import { AccountLine } from '../login/account.tsx';
import { Login } from '../login/login.tsx';
import { Alert } from '../ui/alert.tsx';
import { Field } from '../ui/field.tsx';
import { Form, Submit } from '../ui/form.tsx';
import { CardPage, useService } from '../ui/frame.tsx';
import { DecisionScreen, type Decision } from './decision-screen.tsx';
import { deviceTexts } from './texts.ts';

/** Connects a device that cannot show a browser: the login, the code that it shows, and the decision. */
export function DevicePage() {
  return <Login>{() => <Device />}</Login>;
}

interface AskingDevice {
  readonly userCode: string;
  readonly request: GetDeviceRequestResponse;
}

function Device() {
  const [device, setDevice] = useState<AskingDevice>();
  const [decided, setDecided] = useState<Decision>();
  if (decided !== undefined) return <DecidedScreen decision={decided} />;
  if (!device) return <CodeScreen onFound={setDevice} />;
  return <DecisionScreen {...device} onDecided={setDecided} onOver={() => setDevice(undefined)} />;
}

/** `verification_uri_complete` has the code, which its user compares with that of the device. */
const givenCode = (): string => new URLSearchParams(location.search).get('user_code')?.slice(0, 64) ?? '';

function CodeScreen({ onFound }: { readonly onFound: (device: AskingDevice) => void }) {
  const { session } = useService();
  const texts = deviceTexts();
  async function find(userCode: string): Promise<void> {
    try {
      const { data } = await getDeviceRequest(session, { body: { userCode } });
      onFound({ userCode, request: data });
    } catch (error) {
      throw codeOf(error) === 'not-found' ? new PageError(texts.unknown) : error;
    }
  }
  return (
    <CardPage title={texts.title}>
      <AccountLine />
      <Form
        focus="userCode"
        fieldOf={(error) => (error instanceof PageError ? 'userCode' : undefined)}
        onSubmit={({ userCode = '' }) => find(userCode)}
      >
        <p>{texts.text}</p>
        <Field
          name="userCode"
          label={texts.code}
          title={texts.format}
          defaultValue={givenCode()}
          pattern="[\s\p{Pd}]*([A-Za-z][\s\p{Pd}]*){8}"
          autocapitalize="characters"
          autocomplete="off"
          spellcheck={false}
          maxLength={64}
          required
          autofocus
        />
        <Submit>{texts.next}</Submit>
      </Form>
    </CardPage>
  );
}

function DecidedScreen({ decision }: { readonly decision: Decision }) {
  const texts = deviceTexts();
  const isAllowed = decision === 'ALLOW';
  return (
    <CardPage title={isAllowed ? texts.allowedTitle : texts.deniedTitle}>
      <Alert kind={isAllowed ? 'success' : 'warning'}>{isAllowed ? texts.allowedText : texts.deniedText}</Alert>
    </CardPage>
  );
}
