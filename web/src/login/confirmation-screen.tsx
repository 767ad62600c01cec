import { authorizationTexts } from '../authorization/texts.ts';
import { useQuery } from '../query.ts';
import { commonTexts } from '../texts/common.ts';
import { freshSessionTexts } from '../texts/fresh-session.ts';
import { ActError } from '../ui/act.tsx';
import { CardPage } from '../ui/frame.tsx';
import { ProofMethods, type ProofMethod } from '../ui/proof-methods.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { AccountLine } from './account.tsx';
import { OtherChoices } from './other-choices.tsx';
import type { ConfirmationScreenProps } from './step-props.ts';

/** Asks the user to confirm the session, because the application wants a new login or a second factor. */
export function ConfirmationScreen(props: ConfirmationScreenProps) {
  if (props.methods.length === 0) return <Enrolment {...props} />;
  return <Confirmation key={props.methods.join()} {...props} />;
}

function Confirmation(props: ConfirmationScreenProps) {
  const { methods, decision, decide } = props;
  const goOn = () => decide.run(decision);
  return (
    <CardPage title={freshSessionTexts().title}>
      <AccountLine />
      <p>{authorizationTexts().confirmText}</p>
      {decide.error !== undefined && (
        <>
          <ActError act={decide} />
          <button onClick={goOn}>{commonTexts().retry}</button>
        </>
      )}
      <ProofMethods methods={methods as readonly ProofMethod[]} onConfirmed={goOn} onStale={goOn}>
        <OtherChoices {...props} />
      </ProofMethods>
    </CardPage>
  );
}

/** Few logins need it, so it is loaded then. */
function Enrolment(props: ConfirmationScreenProps) {
  const screen = useQuery(async () => (await import('./add-factor-screen.tsx')).default, []);
  const { data: Content } = screen;
  if (Content) return <Content {...props} />;
  return (
    <CardPage title={authorizationTexts().factorTitle}>
      <QueryView query={screen}>{() => null}</QueryView>
    </CardPage>
  );
}
