import { finding, type Finding } from '../../access/findings.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/types.ts';
import { isPast } from '../../identity/authentication/eligibility.ts';
import { checkOf, fail, pass, type Explain } from '../../identity/explain/credential-check.ts';
import type { ClientApplication, FindOwningApplication } from '../applications/application-loader-store.ts';
import { CODE_FORM, findCodeInScope, type AuthorizationCode } from '../codes/code-store.ts';
import { findUriRefusal } from '../codes/exchange-code.ts';
import type { CheckGranted } from './granted-checks.ts';

/** Explains codes, also of devices that were allowed, by the checks of exchange-code.ts and poll-device.ts, without those of the request that presents one. */
export function createExplainCode(options: {
  readonly database: Database;
  readonly findApplication: FindOwningApplication;
  readonly checkGranted: CheckGranted;
  readonly clock: Clock;
}): Explain {
  const { database, findApplication, checkGranted, clock } = options;

  return async (text, scope) => {
    if (!CODE_FORM.test(text)) return { checks: [fail('FORM', finding('CODE_MALFORMED'))] };
    const form = pass('FORM', finding('CODE_WELL_FORMED'));
    const code = await findCodeInScope(database, scope, text);
    if (!code) return { checks: [form, fail('EXISTENCE', finding('CODE_UNKNOWN'))] };
    const { tenantId, accountId, grantId, createdAt, expiresAt, usedAt } = code;
    const found = await findApplication(code);
    const isUsed = usedAt !== undefined;
    const used = isUsed ? finding('CODE_USED', { grant: grantId ?? '' }) : undefined;
    // That a code is late counts only before its use.
    const late = !isUsed && isPast(expiresAt, clock()) ? finding('CODE_EXPIRED') : undefined;
    const params = { account: accountId, scopes: code.scopes.join(' ') };
    return {
      checks: [
        form,
        pass(
          'EXISTENCE',
          finding(code.scopes.length === 0 ? 'CODE_FOUND_WITHOUT_SCOPE' : 'CODE_FOUND', params),
          createdAt,
        ),
        checkOf('SINGLE_USE', used, finding('CODE_UNUSED'), usedAt),
        checkOf('EXPIRY', late, finding(isUsed ? 'CODE_USED_IN_TIME' : 'CODE_NOT_EXPIRED'), expiresAt),
        ...(await checkGranted({ ...code, offline: false }, found, (application) => findRefusal(code, application))),
      ],
      owner: { id: accountId, tenantId },
      ...(found && { clientId: found.application.clientId }),
      ...(isUsed && { grantId }),
    };
  };
}

/** Returns why an application can no longer present a code: of the authorization endpoint, or of a device. */
function findRefusal(code: AuthorizationCode, application: ClientApplication): Finding | undefined {
  if (code.redirectUri !== undefined) return findUriRefusal(code, application);
  if (application.deviceGrant) return undefined;
  return finding('APPLICATION_LACKS_DEVICE_GRANT', { clientId: application.clientId });
}
