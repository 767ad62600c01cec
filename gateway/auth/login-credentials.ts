import { Type } from '../type.ts';
import { ownDescriptors } from '../../src/platform/rpc/contract/descriptors.ts';
import { documented } from '../schema/documented.ts';
import { NOT_BLANK } from '../../src/platform/rpc/contract/text-patterns.ts';
import { declared, methodOf } from './declared.ts';

/** The RPC of a login, in both profiles. */
export const LOGIN = methodOf('SessionService', 'Login');

// The core checks the credentials after the limit of attempts, so the fields of the RPC have wider bounds.
const { ruleNamed } = ownDescriptors();
const USERNAME = ruleNamed('authservice.identity.v1.CreateUserRequest.username');
const PASSWORD = ruleNamed('authservice.identity.v1.ChangeOwnPasswordRequest.current_password');

/** Members of the login body in both profiles. The core checks the lengths. */
export const CREDENTIALS = {
  username: Type.String({
    ...declared(LOGIN.input, 'username'),
    ...documented({ maxLength: USERNAME.max, pattern: NOT_BLANK }),
  }),
  password: Type.String({
    ...declared(LOGIN.input, 'password'),
    ...documented({ minLength: PASSWORD.min, maxLength: PASSWORD.max }),
  }),
};
