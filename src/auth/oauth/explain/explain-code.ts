import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/types.ts';
import { isPast } from '../../identity/authentication/eligibility.ts';
import { checkOf, fail, pass, type Explain } from '../../identity/explain/credential-check.ts';
import type { ClientApplication, FindOwningApplication } from '../applications/application-loader-store.ts';
import { CODE_FORM, findCodeInScope, type AuthorizationCode } from '../codes/code-store.ts';
import { findUriRefusal } from '../codes/exchange-code.ts';
import { describeScopes, type CheckGranted } from './granted-checks.ts';

/** Explains codes, also of devices that were allowed, by the checks of exchange-code.ts and poll-device.ts, without those of the request that presents one. */
export function createExplainCode(options: {
  readonly database: Database;
  readonly findApplication: FindOwningApplication;
  readonly checkGranted: CheckGranted;
  readonly clock: Clock;
}): Explain {
  const { database, findApplication, checkGranted, clock } = options;

  return async (text, scope) => {
    if (!CODE_FORM.test(text)) return { checks: [fail('FORM', 'the text has not the form of a code')] };
    const form = pass('FORM', 'the text has the form of a code');
    const code = await findCodeInScope(database, scope, text);
    if (!code)
      return { checks: [form, fail('EXISTENCE', 'the code is unknown; codes are deleted some time after their end')] };
    const { tenantId, accountId, grantId, createdAt, expiresAt, usedAt } = code;
    const found = await findApplication(code);
    const isUsed = usedAt !== undefined;
    const used = isUsed ? `it was used for grant ${grantId}; another use would revoke the grant` : undefined;
    // That a code is late counts only before its use.
    const late = !isUsed && isPast(expiresAt, clock()) ? 'the code has expired' : undefined;
    return {
      checks: [
        form,
        pass('EXISTENCE', `it is a code for account ${accountId}, ${describeScopes(code.scopes)}`, createdAt),
        checkOf('SINGLE_USE', used, 'it was not used before', usedAt),
        checkOf('EXPIRY', late, isUsed ? 'it was used in time' : 'the code has not expired', expiresAt),
        ...(await checkGranted({ ...code, offline: false }, found, (application) => findRefusal(code, application))),
      ],
      owner: { id: accountId, tenantId },
      ...(found && { clientId: found.application.clientId }),
      ...(isUsed && { grantId }),
    };
  };
}

/** Returns why an application can no longer present a code: of the authorization endpoint, or of a device. */
function findRefusal(code: AuthorizationCode, application: ClientApplication): string | undefined {
  if (code.redirectUri !== undefined) return findUriRefusal(code, application);
  return application.deviceGrant ? undefined : 'the application has no device grant';
}
