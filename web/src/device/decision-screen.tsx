import { decideDeviceRequest, type GetDeviceRequestResponse } from '../../../client/src/operations.ts';
import { Requester } from '../authorization/requester.tsx';
import { authorizationTexts } from '../authorization/texts.ts';
import { codeOf, PageError } from '../errors.ts';
import { AccountLine } from '../login/account.tsx';
import { ScopeList } from '../login/scope-list.tsx';
import { ActError, useAct } from '../ui/act.tsx';
import { Alert } from '../ui/alert.tsx';
import { Fact, Facts } from '../ui/facts.tsx';
import { CardHead, CardPage, useService } from '../ui/frame.tsx';
import { Name } from '../ui/name.tsx';
import { Time } from '../ui/time.tsx';
import { deviceTexts } from './texts.ts';

export type Decision = 'ALLOW' | 'DENY';

interface DecisionScreenProps {
  readonly userCode: string;
  readonly request: GetDeviceRequestResponse;
  readonly onDecided: (decision: Decision) => void;
  /** Leads back to the code. */
  readonly onOver: () => void;
}

/** Asks whether the device may have what it asks for. Somebody else can have started it, so the user is always asked. */
export function DecisionScreen({ userCode, request, onDecided, onOver }: DecisionScreenProps) {
  const { session } = useService();
  const { application, scopes, network, createdAt } = request;
  const texts = deviceTexts();
  const shared = authorizationTexts();
  const decide = useAct(async (decision: Decision) => {
    try {
      await decideDeviceRequest(session, { body: { userCode, decision } });
    } catch (error) {
      const known = { 'not-found': texts.over, 'permission-denied': shared.notServedText };
      const text = (known as Readonly<Record<string, string>>)[codeOf(error) ?? ''];
      throw text === undefined ? error : new PageError(text);
    }
    onDecided(decision);
  });
  return (
    <CardHead.Provider value={<Requester application={application} />}>
      <CardPage title={texts.decisionTitle}>
        <AccountLine />
        <ScopeList name={application.name} text={shared.consentText} scopes={scopes} />
        <Facts>
          <Fact label={texts.network}>
            <Name>{network}</Name>
          </Fact>
          <Fact label={texts.startedAt}>
            <Time>{createdAt}</Time>
          </Fact>
        </Facts>
        <Alert kind="warning">{texts.warning}</Alert>
        <ActError act={decide} />
        <p class="actions">
          <button class="primary" aria-disabled={decide.isBusy} onClick={() => decide.run('ALLOW')}>
            {shared.allow}
          </button>
          <button aria-disabled={decide.isBusy} onClick={() => decide.run('DENY')}>
            {shared.deny}
          </button>
        </p>
        <div class="choices">
          <button class="quiet" onClick={onOver}>
            {texts.otherCode}
          </button>
        </div>
      </CardPage>
    </CardHead.Provider>
  );
}
