// Schemas of error bodies: problem documents, OAuth errors, and the errors of Profile B.
import { Type } from '../type.ts';
import { CATALOGUE } from '../../src/platform/problem/catalogue.ts';

const Violation = Type.Object(
  {
    message: Type.String({ description: 'Description of the problem, for people.' }),
    format: Type.Optional(Type.String({ description: 'The name of the violated rule.' })),
    props: Type.Optional(Type.Array(Type.String(), { description: 'The path to the field, outermost first.' })),
    params: Type.Optional(
      Type.Unsafe<object>({ type: 'object', additionalProperties: true, description: "The rule's parameters." }),
    ),
  },
  { title: 'Violation', description: 'A violated rule of one field.' },
);

/** The members of an error whose login needs a second factor or a new password. */
const challengeMembers = (expiresIn: string) => ({
  challenge: Type.Optional(
    Type.String({ description: 'The challenge of a login that needs a second factor or a new password.' }),
  ),
  methods: Type.Optional(
    Type.Array(Type.String(), { description: 'The second factors that the account can use, or that it can create.' }),
  ),
  [expiresIn]: Type.Optional(Type.Integer({ description: 'Lifetime of the challenge in seconds.' })),
});

const DISCLOSED = Type.Optional(Type.String({ description: 'Maximal disclosure only.' }));
const DIAGNOSTICS = { exceptionType: DISCLOSED, exceptionMessage: DISCLOSED, stackTrace: DISCLOSED };

export const Problem = Type.Object(
  {
    type: Type.String({ examples: [`urn:service:error:${CATALOGUE.VALIDATION_ERROR.code}`] }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'The actual reason, under maximal disclosure.' }),
    errorCode: Type.String({
      description: 'Stable code for clients to branch on.',
      examples: [CATALOGUE.VALIDATION_ERROR.code],
    }),
    instance: Type.Optional(Type.String({ description: 'Path of the request.' })),
    violations: Type.Optional(Type.Array(Violation)),
    ...challengeMembers('expiresIn'),
    ...DIAGNOSTICS,
  },
  { description: 'A problem document (RFC 9457).' },
);

/** The error of the authorization endpoint. */
export const ErrorPage = Type.String({ title: 'ErrorPage', description: 'A page for the user.' });

export const OAuthError = Type.Object(
  {
    error: Type.String({ examples: [CATALOGUE.INVALID_CLIENT.code] }),
    error_description: Type.String({ description: 'The actual reason under maximal disclosure, else the code.' }),
  },
  { description: 'An error of the token endpoint (RFC 6749 section 5.2).' },
);

export const ProfileBError = Type.Object(
  {
    message: Type.String({ description: 'The actual reason, under maximal disclosure.' }),
    error: Type.String({
      description: 'Stable code for clients to branch on.',
      examples: [CATALOGUE.TOKEN_INVALID.profileBCode],
    }),
    path: Type.String({ description: 'Path of the request.' }),
    timestamp: Type.String({ format: 'date-time', description: 'ISO 8601 in UTC with milliseconds.' }),
    ...challengeMembers('expires_in'),
    ...DIAGNOSTICS,
  },
  { description: 'An error of the authentication endpoints.' },
);
