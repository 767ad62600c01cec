// The schema of applications in a bootstrap plan. The rules of the proto check their values.
import { type Static, Type } from 'typebox';
import {
  ApplicationType,
  IdTokenAlgorithm,
  UsernameForm,
} from '../../../proto/gen/authservice/oauth/v1/application_service.ts';
import { enumNames } from '../../platform/formats/enum-names.ts';

export const TYPES = enumNames(ApplicationType, 'APPLICATION_TYPE_');
export const ALGORITHMS = enumNames(IdTokenAlgorithm, 'ID_TOKEN_ALGORITHM_');
export const USERNAME_FORMS = enumNames(UsernameForm, 'USERNAME_FORM_');

const Text = Type.Optional(Type.String());
const Texts = Type.Optional(Type.Array(Type.String()));
const Flag = Type.Optional(Type.Boolean());
const Seconds = Type.Optional(Type.Integer());

export const ApplicationPlan = Type.Object(
  {
    clientId: Type.String(),
    clientSecret: Type.Optional(Type.String({ minLength: 32, maxLength: 1024 })),
    type: Type.Enum([...TYPES.names]),
    name: Text,
    redirectUris: Texts,
    postLogoutRedirectUris: Texts,
    backchannelLogoutUri: Text,
    homeUrl: Text,
    logo: Text,
    scopes: Texts,
    resources: Texts,
    firstParty: Flag,
    requirePkce: Flag,
    requirePar: Flag,
    jwks: Type.Optional(Type.Object({})),
    idTokenAlgorithm: Type.Optional(Type.Enum([...ALGORITHMS.names])),
    idTokenClaims: Flag,
    usernameForm: Type.Optional(Type.Enum([...USERNAME_FORMS.names])),
    requiredPermission: Text,
    requiredAcr: Text,
    deviceGrant: Flag,
    accessTokenTtl: Seconds,
    refreshTokenIdle: Seconds,
    refreshTokenLifetime: Seconds,
    disabled: Flag,
  },
  { additionalProperties: false },
);

export type ApplicationPlan = Static<typeof ApplicationPlan>;
