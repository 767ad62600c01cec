// Cases of second factors.
import { FactorServiceService } from '../../../proto/gen/authservice/factor/v1/factor_service.ts';
import { hidden, notApplicable, probes, rpcCases } from '../probe-case.ts';

const OWN = notApplicable("creates a passkey of the caller's own account");

export const FACTOR_RPCS = rpcCases(FactorServiceService, {
  createMyPasskeyOptions: OWN,
  createMyPasskey: OWN,
  updateMyPasskey: probes(hidden(({ user }) => ({ passkeyId: user, label: 'Isolation' }))),
  deleteMyPasskey: probes(hidden(({ user }) => ({ passkeyId: user }))),
});
