// Issues new tokens of a grant for its refresh token (OAuth 2.1 section 4.3).
import type {
  ExchangeTokenRequest,
  ExchangeTokenResponse,
} from '../../../../proto/gen/authservice/oauth/v1/authorization_service.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/types.ts';
import { DependencyUnavailableError, ServiceError } from '../../../platform/errors.ts';
import type { Call } from '../../access/principal.ts';
import type { AuditLog } from '../../audit/trail/audit-log.ts';
import type { SlideSession } from '../../session/slide-session.ts';
import type { ClientApplication } from '../applications/application-loader-store.ts';
import { grantEvent, idleEnd } from '../codes/redeem-code.ts';
import type { PrepareTokens } from '../tokens/issue-tokens.ts';
import { resourceOf } from '../tokens/resource.ts';
import { decideRefresh, type RefreshDecision } from './decide-refresh.ts';
import type { EndGrant } from './end-grants.ts';
import type { Grant, GrantStore } from './grant-store.ts';
import type { RefreshTokens } from './refresh-token.ts';
import type { FindStanding, Standing } from './standing.ts';

export interface RefreshGrantDependencies {
  readonly database: Database;
  readonly grants: Pick<GrantStore, 'findBySelector' | 'use'>;
  readonly slideSession: SlideSession;
  readonly findStanding: FindStanding;
  readonly prepareTokens: PrepareTokens;
  readonly refreshTokens: RefreshTokens;
  readonly endGrant: EndGrant;
  readonly audit: AuditLog;
  readonly clock: Clock;
}

/** Another call that has used the grant first, or a session that has ended, is seen in the next round. */
const MAX_TRIES = 5;

type Renewal = Extract<RefreshDecision, { readonly kind: 'keep' | 'rotate' | 'repeat' }>;

export function createRefreshGrant(options: RefreshGrantDependencies) {
  const { database, grants, slideSession, findStanding, prepareTokens, refreshTokens, endGrant, audit, clock } =
    options;

  return async (
    request: ExchangeTokenRequest & { readonly refreshToken: string },
    application: ClientApplication,
    call: Call,
  ): Promise<ExchangeTokenResponse> => {
    const presented = refreshTokens.parse(request.refreshToken);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const grant = presented && (await grants.findBySelector(presented.selector));
      const standing = grant && (await findStanding(grant, application));
      const decision = decideRefresh({
        grant,
        generation: presented?.generation ?? 0,
        application,
        scope: request.scope || undefined,
        refusal: standing && 'refusal' in standing ? standing.refusal : undefined,
        now: clock(),
      });
      if (decision.kind === 'refuse') throw new ServiceError(decision.error, { detail: decision.detail });
      if (decision.kind === 'replay') return revokeReplayed(grant!, application, call);
      const resource = resourceOf(request.resource, grant!.resource, application);
      const terms = { application, standing: standing as Standing, resource };
      const response = await renew(grant!, terms, decision, call);
      if (response) return response;
    }
    throw new DependencyUnavailableError('the grant could not be used in time');
  };

  /** Returns undefined if the grant was changed, or its session has ended, since they were judged, or if the call is late. */
  async function renew(
    grant: Grant,
    terms: {
      readonly application: ClientApplication;
      readonly standing: Standing;
      readonly resource: string | undefined;
    },
    decision: Renewal,
    call: Call,
  ): Promise<ExchangeTokenResponse | undefined> {
    const { scopes } = decision;
    const prepared = await prepareTokens({ ...terms, grant, scopes, nonce: undefined });
    const now = clock();
    const use = {
      now,
      idleExpiresAt: idleEnd(terms.application, grant.createdAt, now),
      accessExpiresAt: prepared.accessExpiresAt,
      rotation: decision.kind === 'rotate' ? scopes : undefined,
    };
    const isUsed = await database.transaction(call.deadline, async (tx) => {
      const { sessionId: id, offline } = grant;
      const session = { id, accessExpiresAt: prepared.accessExpiresAt };
      if (!offline && !(await slideSession(tx, terms.standing, session, call.deadline))) return false;
      return grants.use(tx, grant, use, call.deadline);
    });
    if (!isUsed) return undefined;
    return {
      ...(await prepared.response),
      refreshToken: refreshTokens.issue({ selector: grant.selector, generation: nextGeneration(grant, decision) }),
    };
  }

  async function revokeReplayed(grant: Grant, application: ClientApplication, call: Call): Promise<never> {
    await audit.commit(call, async (tx, record) => {
      if (await endGrant(tx, grant, 'replay', call.deadline))
        record(grantEvent('grant.replayed', grant, application, { grantId: grant.id }));
    });
    throw new ServiceError('INVALID_GRANT', { detail: 'the refresh token was replayed; its grant is revoked' });
  }
}

/** Returns the generation of the refresh token that the client gets. */
function nextGeneration({ generation }: Grant, decision: Renewal): number {
  if (decision.kind === 'repeat') return decision.generation;
  return decision.kind === 'rotate' ? generation + 1 : generation;
}
