// Creates an application, an authorization request that waits for its user, and a grant.
import { createHash } from 'node:crypto';
import { NEW_APPLICATION } from './examples/values.ts';
import type { Party } from './party.ts';
import { bodyOf, request, StepSkippedError, type StepResult } from './record-step.ts';
import { randomText, type PartialRecords } from './records.ts';

/** Creates a web application with a client secret. */
export async function makeApplication(party: Party, { mark }: PartialRecords): Promise<StepResult> {
  const { application } = await request(party, 'POST', '/applications', { ...NEW_APPLICATION, name: mark });
  const path = `/applications/${application.id}`;
  const undo = () => request(party, 'DELETE', path);
  const [secret] = await request(party, 'GET', `${path}/secrets`);
  return { records: { application: application.id, applicationSecret: secret.id }, undo };
}

/** Creates an authorization request of the application, and a grant of the administrator to it. */
export async function makeGrant(party: Party, { application }: PartialRecords): Promise<StepResult> {
  if (application === undefined) throw new StepSkippedError('a grant requires an application');
  const path = `/applications/${application}`;
  const { clientId } = await request(party, 'GET', path);
  const { clientSecret } = await request(party, 'POST', `${path}/secrets`);
  const verifier = randomText(43);
  const asked = {
    client_id: clientId,
    redirect_uri: NEW_APPLICATION.redirectUris[0],
    response_type: 'code',
    scope: 'openid',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  };
  const decided = `/auth/oauth2/requests/${await requestAuthorization(party, asked)}`;
  const { redirectTo } = await request(party, 'POST', decided, { decision: 'ALLOW' });
  if (redirectTo === undefined)
    throw new StepSkippedError(`POST ${decided}: the administrator has to confirm the session`);
  await redeem(party, {
    grant_type: 'authorization_code',
    code: new URL(redirectTo).searchParams.get('code')!,
    code_verifier: verifier,
    redirect_uri: asked.redirect_uri,
    client_id: clientId,
    client_secret: clientSecret,
  });
  const [{ id: grant }] = await request(party, 'GET', '/account/grants');
  return {
    records: { grant, authorizationRequest: await requestAuthorization(party, asked) },
    undo: () => request(party, 'DELETE', `/account/grants/${grant}`),
  };
}

type Parameters = Readonly<Record<string, string>>;

/** Sends an authorization request without a session. Returns its id, with which the login page continues it. */
async function requestAuthorization({ http, target }: Party, parameters: Parameters): Promise<string> {
  const path = '/auth/oauth2/authorize';
  const query = new URLSearchParams(parameters).toString();
  const { headers, outcome } = await http({ method: 'GET', path: `${target.apiRoot}${path}?${query}` });
  const id = new URL(headers.get('location') ?? '', target.url).searchParams.get('request');
  if (id === null) throw new Error(`GET ${path}: ${outcome}`);
  return id;
}

/** Exchanges a code for tokens. */
async function redeem({ http, target }: Party, parameters: Parameters): Promise<void> {
  const path = '/auth/oauth2/token';
  const response = await http({
    method: 'POST',
    path: target.apiRoot + path,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(parameters).toString(),
  });
  bodyOf(`POST ${path}`, response);
}
