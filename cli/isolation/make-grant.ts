// Creates an application, an authorization request and a device that wait for their user, and a grant.
import { createHash } from 'node:crypto';
import { NEW_APPLICATION } from './examples/values.ts';
import type { Party } from './party.ts';
import { bodyOf, request, StepSkippedError, type StepResult } from './record-step.ts';
import { randomText, type PartialRecords, type Records } from './records.ts';

/** Creates a web application with a client secret. */
export async function makeApplication(party: Party, { mark }: PartialRecords): Promise<StepResult> {
  const { application } = await request(party, 'POST', '/applications', { ...NEW_APPLICATION, name: mark });
  const path = `/applications/${application.id}`;
  const undo = () => request(party, 'DELETE', path);
  const [secret] = await request(party, 'GET', `${path}/secrets`);
  return { records: { application: application.id, applicationSecret: secret.id }, undo };
}

/**
 * Creates a public application, an authorization request of it, and a grant of the administrator to it. It has no secret, whose last use
 * would change what the owner of the records sees.
 */
export async function makeGrant(party: Party, { mark }: PartialRecords): Promise<StepResult> {
  const application = await request(party, 'POST', '/applications', {
    ...NEW_APPLICATION,
    name: mark,
    type: 'SPA',
    deviceGrant: true,
  });
  const undo = () => request(party, 'DELETE', `/applications/${application.id}`);
  try {
    return { records: await grantOf(party, application.clientId), undo };
  } catch (error) {
    await undo();
    throw error;
  }
}

async function grantOf(
  party: Party,
  clientId: string,
): Promise<Pick<Records, 'authorizationRequest' | 'deviceUserCode' | 'grant'>> {
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
  await post(party, '/auth/oauth2/token', {
    grant_type: 'authorization_code',
    code: new URL(redirectTo).searchParams.get('code')!,
    code_verifier: verifier,
    client_id: clientId,
  });
  const [{ id: grant }] = await request(party, 'GET', '/account/grants');
  const device = await post(party, '/auth/oauth2/device', { client_id: clientId });
  return { grant, authorizationRequest: await requestAuthorization(party, asked), deviceUserCode: device.user_code };
}

type Parameters = Readonly<Record<string, string>>;

/** Sends an authorization request without a session. Returns its id, with which the login page continues it. */
async function requestAuthorization({ http, target }: Party, parameters: Parameters): Promise<string> {
  const path = '/auth/oauth2/authorize';
  const query = new URLSearchParams(parameters).toString();
  const { headers, outcome } = await http({ method: 'GET', path: `${target.apiRoot}${path}?${query}` });
  const id = new URL(headers.get('location') ?? '', target.url).searchParams.get('request');
  if (outcome === '404') throw new StepSkippedError(`GET ${path}: the OpenID provider is off`);
  if (id === null) throw new Error(`GET ${path}: ${outcome}`);
  return id;
}

/** Sends a form of the public application. */
async function post({ http, target }: Party, path: string, parameters: Parameters) {
  const response = await http({
    method: 'POST',
    path: target.apiRoot + path,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(parameters).toString(),
  });
  return bodyOf(`POST ${path}`, response);
}
