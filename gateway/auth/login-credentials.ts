import { Type } from '../type.ts';
import { ownDescriptors } from '../../src/platform/rpc/contract/descriptors.ts';
import { documented } from '../schema/documented.ts';
import { NOT_BLANK } from '../../src/platform/rpc/contract/text-patterns.ts';

const { ruleNamed } = ownDescriptors();
const USERNAME = ruleNamed('authservice.identity.v1.CreateUserRequest.username');
const PASSWORD = ruleNamed('authservice.identity.v1.ChangeOwnPasswordRequest.current_password');

/** Members of the login body in both profiles. The core checks the lengths. */
export const CREDENTIALS = {
  username: Type.String({
    description: `Login name, trimmed and case-insensitive; 1-${USERNAME.max} characters once trimmed.`,
    examples: ['alice@acme.test'],
    ...documented({ maxLength: USERNAME.max, pattern: NOT_BLANK }),
  }),
  password: Type.String({
    description: `Case-sensitive, never trimmed; ${PASSWORD.min}-${PASSWORD.max} characters.`,
    examples: ['demo-password-1'],
    ...documented({ minLength: PASSWORD.min, maxLength: PASSWORD.max }),
  }),
};
