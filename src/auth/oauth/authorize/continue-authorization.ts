import {
  AuthorizationDecision,
  type ContinueAuthorizationRequest,
  type ContinueAuthorizationResponse,
  type GetAuthorizationRequestRequest,
  type GetAuthorizationRequestResponse,
} from '../../../../proto/gen/authservice/oauth/v1/authorization_service.ts';
import type { Clock, Deadline } from '../../../platform/clock.ts';
import type { Statements } from '../../../platform/db/types.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { loadThenHandle } from '../../../platform/rpc/service.ts';
import { createRequestViolations } from '../../../platform/rpc/request-violations.ts';
import type { Call } from '../../access/principal.ts';
import type { AuditLog } from '../../audit/trail/audit-log.ts';
import type { ClientApplication } from '../applications/application-loader-store.ts';
import { grantEvent } from '../codes/redeem-code.ts';
import { addConsent } from '../consent/consent-store.ts';
import { decideContinuation, scopesToConsent, type Choice, type Continuation } from './decide-authorization.ts';
import type { AuthorizationRequest } from './decide-request.ts';
import { whileOutdated, type IssueCode } from './issue-code.ts';
import type { RequestValidator } from './validate-request.ts';
import { redirectTo } from './redirect.ts';
import type { RequestStore, StoredRequest } from './request-store.ts';
import { sessionOf, type LiveSession, type SessionReader } from './session-facts.ts';
import { showApplication, type ShowApplicationDependencies } from './show-application.ts';

export interface ContinueAuthorizationDependencies extends ShowApplicationDependencies {
  readonly requests: Pick<RequestStore, 'findOpen' | 'use'>;
  readonly validator: RequestValidator;
  readonly sessionReader: SessionReader;
  readonly issueCode: IssueCode;
  /** Locks an account's row until the transaction ends. */
  readonly lockAccount: (
    tx: Statements,
    account: { readonly tenantId: string | undefined; readonly id: string },
    deadline: Deadline,
  ) => Promise<unknown>;
  readonly audit: AuditLog;
  /** Counts what the page leads to: see count-outcomes.ts. */
  readonly countContinued: (outcome: string) => void;
  readonly issuer: string;
  readonly clock: Clock;
}

/** A request of the page that can go on. */
interface OpenRequest {
  readonly stored: StoredRequest;
  readonly request: AuthorizationRequest;
  readonly application: ClientApplication;
}

const CHOICES: Readonly<Partial<Record<AuthorizationDecision, Choice>>> = {
  [AuthorizationDecision.AUTHORIZATION_DECISION_ALLOW]: 'ALLOW',
  [AuthorizationDecision.AUTHORIZATION_DECISION_DENY]: 'DENY',
};

/** AuthorizationService: the RPCs by which the login page shows a request and continues it. */
export function continuationHandlers(options: ContinueAuthorizationDependencies) {
  const { requests, validator, sessionReader, issueCode, lockAccount } = options;
  const { audit, issuer, clock, countContinued } = options;

  /** Throws NOT_FOUND if the request is unknown, used or late, or if its application no longer makes it. */
  async function findOpen({ requestId }: { readonly requestId: string }): Promise<OpenRequest> {
    const stored = await requests.findOpen(requestId, clock());
    if (stored?.kind !== 'LOGIN') throw new ServiceError('NOT_FOUND');
    const { decision, application } = await validator.ofStored(stored);
    if (decision.kind !== 'valid' || !application) throw new ServiceError('NOT_FOUND');
    return { stored, request: decision.request, application };
  }

  type Context = {
    readonly open: OpenRequest;
    readonly live: LiveSession;
    /** What the user had consented to before. */
    readonly consentId: string | undefined;
    readonly choice: Choice;
    readonly userAgent: string | undefined;
  };

  const answers: {
    readonly [Kind in Continuation['kind']]: (
      continuation: Extract<Continuation, { readonly kind: Kind }>,
      context: Context,
      call: Call,
    ) => Promise<ContinueAuthorizationResponse>;
  } = {
    async code(_continuation, { open, live, consentId: known, choice, userAgent }, call) {
      const { stored, request, application } = open;
      const { tenantId, id: accountId } = live.found.account;
      const target = await audit.commit(call, async (tx, record) => {
        if (!(await requests.use(tx, stored, clock()))) throw new ServiceError('NOT_FOUND');
        let consentId = known;
        if (!application.firstParty && choice === 'ALLOW') {
          const address = { tenantId, accountId, applicationId: application.id };
          // Before the rows that depend on it, as an exchange does. So several tabs give the first consent one after the other.
          await lockAccount(tx, { tenantId, id: accountId }, call.deadline);
          const { id, added } = await addConsent(tx, address, scopesToConsent(request), clock());
          consentId = id;
          if (added.length > 0)
            record(grantEvent('consent.given', { tenantId, accountId }, application, { scopes: added.join(' ') }));
        }
        const order = { request, application, live, consentId, userAgent };
        return issueCode(tx, order, call);
      });
      countContinued('code');
      return { redirectTo: target };
    },
    async error({ error }, { open: { stored, request } }, call) {
      // A pushed request behind it can be opened again until there is a code.
      const isUsed = await audit.commit(call, (tx) =>
        requests.use(tx, { hash: stored.hash, pushedHash: undefined }, clock()),
      );
      if (!isUsed) throw new ServiceError('NOT_FOUND');
      countContinued(error);
      return { redirectTo: redirectTo(request.redirectUri, { error, state: request.state }, { issuer }) };
    },
    async consent({ scopes }) {
      return { consentRequired: { scopes: [...scopes] } };
    },
    async confirmation({ methods }) {
      return { confirmationRequired: { methods: [...methods] } };
    },
    async choice() {
      const violations = createRequestViolations();
      violations.add({ message: 'is required', format: 'required', props: ['decision'] });
      violations.assertNone();
      return {};
    },
    async 'not-served'() {
      throw new ServiceError('PERMISSION_DENIED', { detail: 'the application does not serve the account' });
    },
  };

  return {
    getAuthorizationRequest: loadThenHandle(
      findOpen,
      async (
        _request: GetAuthorizationRequestRequest,
        _call: Call,
        { request, application },
      ): Promise<GetAuthorizationRequestResponse> => {
        return {
          application: await showApplication(application, options),
          prompt: [...request.prompt],
          scopes: [...request.scopes],
          ...(request.loginHint !== undefined && { loginHint: request.loginHint }),
          ...(request.uiLocales !== undefined && { uiLocales: request.uiLocales }),
        };
      },
    ),

    continueAuthorization: loadThenHandle(
      findOpen,
      (request: ContinueAuthorizationRequest, call: Call, open): Promise<ContinueAuthorizationResponse> =>
        whileOutdated(() => continueOnce(request, call, open)),
    ),
  };

  async function continueOnce(
    { decision, userAgent }: ContinueAuthorizationRequest,
    call: Call,
    open: OpenRequest,
  ): Promise<ContinueAuthorizationResponse> {
    const live = await sessionOf(sessionReader, call);
    const session = await sessionReader.factsOf(live, open.application);
    const { requestedAt } = open.stored;
    const choice = CHOICES[decision];
    const continuation = decideContinuation({ ...open, requestedAt, session, now: clock() }, choice);
    const { consentId } = session;
    return answers[continuation.kind](continuation as never, { open, live, consentId, choice, userAgent }, call);
  }
}
