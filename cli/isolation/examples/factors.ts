// Examples of second factors.
import { FactorServiceService } from '../../../proto/gen/authservice/factor/v1/factor_service.ts';
import { examplesOf } from '../example.ts';
import type { Records } from '../records.ts';
import { PASSKEY, TOTP } from './values.ts';

const OWN = "changes a factor of the caller's own account";
const own = { request: () => ({}), notApplicable: OWN };
const ofUser = ({ user }: Records) => ({ userId: user });

export const FACTORS = examplesOf(FactorServiceService, {
  getMyFactors: () => ({}),
  createMyTotp: own,
  confirmMyTotp: { request: () => ({ totp: TOTP }), notApplicable: OWN },
  deleteMyTotp: own,
  createMyRecoveryCodes: own,
  createMyPasskeyOptions: own,
  createMyPasskey: { request: () => ({ label: 'Isolation', passkey: PASSKEY }), notApplicable: OWN },
  updateMyPasskey: ({ passkey }) => ({ passkeyId: passkey, label: 'Isolation' }),
  deleteMyPasskey: ({ passkey }) => ({ passkeyId: passkey }),
  getUserFactors: ofUser,
  createAccessCode: (records) => ({ ...ofUser(records), minutes: 15 }),
  deleteUserFactor: (records) => ({ ...ofUser(records), factorId: records.passkey }),
  deleteUserFactors: ofUser,
});
