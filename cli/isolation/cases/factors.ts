// Cases of second factors.
import { FactorServiceService } from '../../../proto/gen/authservice/factor/v1/factor_service.ts';
import { hidden, notApplicable, own, probes, rpcCases } from '../probe-case.ts';

const OWN = notApplicable("changes a factor of the caller's own account");
const OF_USER = probes<{ userId: string }>(hidden(({ user }) => ({ userId: user })));

export const FACTOR_RPCS = rpcCases(FactorServiceService, {
  getMyFactors: probes<object>(own(() => ({}))),
  createMyTotp: OWN,
  confirmMyTotp: OWN,
  deleteMyTotp: OWN,
  createMyRecoveryCodes: OWN,
  createMyPasskeyOptions: OWN,
  createMyPasskey: OWN,
  updateMyPasskey: probes(hidden(({ user }) => ({ passkeyId: user, label: 'Isolation' }))),
  deleteMyPasskey: probes(hidden(({ user }) => ({ passkeyId: user }))),
  getUserFactors: OF_USER,
  deleteUserFactors: OF_USER,
});
