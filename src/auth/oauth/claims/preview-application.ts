import { Permission } from '../../../../proto/gen/authservice/access/v1/access.ts';
import {
  PreviewOutcome,
  type PreviewApplicationRequest,
  type PreviewApplicationResponse,
} from '../../../../proto/gen/authservice/oauth/v1/application_service.ts';
import type { Clock } from '../../../platform/clock.ts';
import { newId } from '../../../platform/db/ids.ts';
import { ServiceError } from '../../../platform/errors.ts';
import { normalizeUsername } from '../../../platform/formats/names.ts';
import { loadThenHandle } from '../../../platform/rpc/service.ts';
import type { Policies } from '../../access/policy/policies.ts';
import type { Call } from '../../access/principal.ts';
import type { FoundAccount } from '../../identity/account-row.ts';
import { findIneligibility } from '../../identity/authentication/eligibility.ts';
import { getAdminScope } from '../../identity/users/administrator.ts';
import type { AdminScope } from '../../../platform/db/query/tenant-scope.ts';
import type { Application } from '../applications/application.ts';
import { findRefusal } from '../grants/standing.ts';
import { readScopes } from '../scopes.ts';
import { claimsOf } from './claims.ts';
import { idTokenClaims } from './id-token.ts';

export interface PreviewApplicationDependencies {
  /** Finds an application that the caller can read. Throws NOT_FOUND. */
  readonly findApplication: (request: { readonly applicationId: string }, call: Call) => Promise<Application>;
  /** Finds a user of the scope by username. */
  readonly findUser: (scope: AdminScope, username: string) => Promise<FoundAccount | undefined>;
  readonly findTenantName: (id: string) => Promise<string | undefined>;
  readonly policies: Pick<Policies, 'of'>;
  readonly issuer: string;
  readonly clock: Clock;
}

/** ApplicationService.PreviewApplication. Nothing is stored or signed. */
export function createPreviewApplication(options: PreviewApplicationDependencies) {
  const { findApplication, findUser, findTenantName, policies, issuer, clock } = options;

  return loadThenHandle(
    (request: PreviewApplicationRequest, call: Call) => {
      assertReadsUsers(call);
      return findApplication(request, call);
    },
    async (request: PreviewApplicationRequest, call, application): Promise<PreviewApplicationResponse> => {
      const found = await findUser(getAdminScope(call.principal!), normalizeUsername(request.username));
      if (!found?.account.interactive) throw new ServiceError('NOT_FOUND');
      const policy = policies.of(found.definitions);
      const { account } = found;
      const reasons = [findIneligibility('refresh-token', found, clock()), findRefusal(application, account, policy)]
        .filter((reason) => reason !== undefined)
        .map(({ detail }) => detail);
      if (reasons.length > 0) return { outcome: PreviewOutcome.PREVIEW_OUTCOME_REFUSED, reasons };
      const asked =
        request.scopes.length === 0 ? application.scopes : readScopes(request.scopes.join(' '), application.scopes);
      if (!asked.includes('openid')) return { outcome: PreviewOutcome.PREVIEW_OUTCOME_ALLOWED, reasons: [] };
      const tenantName = account.tenantId === undefined ? undefined : await findTenantName(account.tenantId);
      const subject = { account, tenantName, language: policy.effective.language };
      // Of a session and an access token that do not exist.
      const {
        at_hash: _hash,
        sid: _session,
        ...claims
      } = idTokenClaims({
        issuer,
        application,
        grant: { sessionId: newId(), offline: false, authenticatedAt: clock(), methods: ['pwd'] },
        scopes: asked,
        subject,
        nonce: undefined,
        accessToken: '',
        now: clock(),
      });
      const userinfo = { sub: account.id, ...claimsOf(asked, subject, application) };
      return {
        outcome: PreviewOutcome.PREVIEW_OUTCOME_ALLOWED,
        reasons: [],
        idToken: JSON.stringify(claims),
        userinfo: JSON.stringify(userinfo),
      };
    },
  );
}

/** A role of one's own can have PERMISSION_MANAGE_APPLICATIONS alone, but claims show an account. */
function assertReadsUsers({ principal }: Call): void {
  if (!principal!.permissions.has(Permission.PERMISSION_MANAGE_USERS))
    throw new ServiceError('PERMISSION_DENIED', { detail: 'a preview needs PERMISSION_MANAGE_USERS too' });
}
