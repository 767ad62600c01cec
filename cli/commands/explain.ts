import {
  CredentialCheckKind,
  IdentityServiceService,
  type ExplainCredentialRequest,
} from '../../proto/gen/authservice/identity/v1/identity_service.ts';
import { enumNames } from '../../src/platform/formats/enum-names.ts';
import type { Command } from '../command.ts';
import { EXIT, CommandFailure } from '../failure.ts';

const KINDS = enumNames(CredentialCheckKind, 'CREDENTIAL_CHECK_KIND_');
const SECRETS = {
  token: 'bearerToken',
  apiKey: 'apiKey',
  refreshCookie: 'refreshCookie',
  refreshToken: 'refreshToken',
  code: 'authorizationCode',
  applicationRefreshToken: 'applicationRefreshToken',
} as const;
type Credential = NonNullable<ExplainCredentialRequest['credential']>;

export const EXPLAIN_COMMANDS: readonly Command[] = [
  {
    name: 'explain',
    summary: 'show why a credential is accepted or refused',
    options: {
      '--username <name>': 'the login of a user',
      '--client <id>': 'the client id of a service account',
      '--token': 'an access token, also of an application, read without echo',
      '--api-key': 'an API key, read without echo',
      '--refresh-cookie': 'the value of a refresh cookie, read without echo',
      '--refresh-token': 'a refresh token of Profile B, read without echo',
      '--code': 'an authorization code of an application, read without echo',
      '--application-refresh-token': 'a refresh token of an application, read without echo',
    },
    notes: 'Exit code 1 if the credential is refused.',
    async run({ values, core, terminal }) {
      const [username, clientId] = [values.text('username'), values.text('client')];
      const secrets = Object.entries(SECRETS).filter(([option]) => values.flag(option));
      const named: Credential[] = [
        ...(username === undefined ? [] : [{ $case: 'username', value: username } as const]),
        ...(clientId === undefined ? [] : [{ $case: 'clientId', value: clientId } as const]),
      ];
      if (secrets.length + named.length !== 1) throw new CommandFailure('give exactly one credential', EXIT.usage);
      const [secret] = secrets;
      const credential: Credential =
        secret === undefined ? named[0]! : { $case: secret[1], value: await terminal.readSecret('The credential') };
      const response = await (await core()).client(IdentityServiceService).explainCredential({ credential });
      const checks = response.checks.map(({ kind, ...check }) => ({ kind: KINDS.nameOf(kind), ...check }));
      const lines = checks.map(({ kind, passed, detail }) => `${passed ? 'passed' : 'FAILED'}  ${kind}: ${detail}`);
      return {
        value: { ...response, checks },
        text: [...lines, response.accepted ? 'accepted' : 'refused'].join('\n'),
        failed: !response.accepted,
      };
    },
  },
];
