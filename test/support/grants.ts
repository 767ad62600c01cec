// Applications, authorization requests and grants over gRPC. test/support/oauth has them as browsers and relying parties make them.
import { createHash } from 'node:crypto';
import { decodeJwt } from 'jose';
import { applicationFields } from '../../cli/isolation/examples/applications.ts';
import { NEW_APPLICATION } from '../../cli/isolation/examples/values.ts';
import {
  ApplicationType,
  type Application,
  type ApplicationFields,
} from '../../proto/gen/authservice/oauth/v1/application_service.ts';
import {
  AuthorizationDecision,
  type ExchangeTokenResponse,
} from '../../proto/gen/authservice/oauth/v1/authorization_service.ts';
import type { CallOptions } from '../../src/platform/rpc/types.ts';
import type { Clients } from './world.ts';

export const REDIRECT_URI = NEW_APPLICATION.redirectUris[0];
export const CODE_VERIFIER = 'v'.repeat(43);

/** An application that authenticates by a secret, or a public one. */
export interface Client extends Application {
  readonly clientSecret?: string;
}

/** Creates a web application of the caller's tenant. */
export async function createClient(
  { application }: Pick<Clients, 'application'>,
  as: CallOptions,
  fields: Partial<ApplicationFields> = {},
  type: ApplicationType = ApplicationType.APPLICATION_TYPE_WEB,
): Promise<Client> {
  const request = { type, application: { ...applicationFields('Application'), ...fields } };
  const { application: created, clientSecret } = await application.createApplication(request, as);
  return { ...created!, ...(clientSecret !== undefined && { clientSecret }) };
}

/** The parameters of an authorization request. */
export function parametersOf(
  { clientId }: Pick<Client, 'clientId'>,
  more: Readonly<Record<string, string>> = {},
): string {
  return new URLSearchParams({
    client_id: clientId,
    redirect_uri: REDIRECT_URI,
    response_type: 'code',
    scope: 'openid',
    code_challenge: createHash('sha256').update(CODE_VERIFIER).digest('base64url'),
    code_challenge_method: 'S256',
    ...more,
  }).toString();
}

/** Returns the id of a new request that the login page continues. */
export async function authorizationRequest(
  { authorization }: Pick<Clients, 'authorization'>,
  client: Pick<Client, 'clientId'>,
  more?: Readonly<Record<string, string>>,
): Promise<string> {
  const parameters = parametersOf(client, more);
  return (await authorization.authorize({ parameters, refreshTokens: [] }, {})).loginRequest!;
}

/** Returns the request that exchanges a new code, to which the caller has agreed. */
export async function codeOf(
  clients: Pick<Clients, 'authorization'>,
  as: CallOptions,
  client: Pick<Client, 'clientId' | 'clientSecret'>,
  more?: Readonly<Record<string, string>>,
) {
  const requestId = await authorizationRequest(clients, client, more);
  const decision = AuthorizationDecision.AUTHORIZATION_DECISION_ALLOW;
  const { redirectTo } = await clients.authorization.continueAuthorization({ requestId, decision }, as);
  return {
    grantType: 'authorization_code',
    code: new URL(redirectTo!).searchParams.get('code')!,
    codeVerifier: CODE_VERIFIER,
    redirectUri: REDIRECT_URI,
    ...credentialsOf(client),
  };
}

export const credentialsOf = ({ clientId, clientSecret }: Pick<Client, 'clientId' | 'clientSecret'>) => ({
  clientId,
  ...(clientSecret !== undefined && { clientSecret }),
});

/** Makes a grant of the caller to an application. */
export async function grantTo(
  clients: Pick<Clients, 'authorization'>,
  as: CallOptions,
  client: Pick<Client, 'clientId' | 'clientSecret'>,
  more?: Readonly<Record<string, string>>,
): Promise<ExchangeTokenResponse & { readonly id: string }> {
  const tokens = await clients.authorization.exchangeToken(await codeOf(clients, as, client, more), {});
  return { ...tokens, id: String(decodeJwt(tokens.accessToken)['gid']) };
}
