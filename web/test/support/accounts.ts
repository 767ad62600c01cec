// What tests of pages do beside the page: by the REST API, as the administrators of the demo data.
import { expect } from 'vitest';

export const DEMO_PASSWORD = 'demo-password-1';

interface Response {
  readonly status: number;
  readonly body: any; // Tests assert on bodies of any type.
}

async function send(origin: string, method: string, path: string, body: object, token?: string): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const response = await fetch(`${origin}/api/v1${path}`, { method, headers, body: JSON.stringify(body) });
  return { status: response.status, body: await response.json() };
}

/** Logs in by the API and returns the access token. */
async function logIn(origin: string, username: string): Promise<string> {
  const { body } = await send(origin, 'POST', '/auth/login', { username, password: DEMO_PASSWORD });
  return body.accessToken ?? body.access_token;
}

const ADMINISTRATORS = { acme: 'alice@acme.test', globex: 'gina@globex.test' } as const;

/** Creates users with the demo password. */
export async function createUsers(
  origin: string,
  tenant: keyof typeof ADMINISTRATORS,
  usernames: readonly string[],
): Promise<void> {
  const token = await logIn(origin, ADMINISTRATORS[tenant]);
  for (const username of usernames) {
    const user = { username, password: DEMO_PASSWORD, name: 'Test', roles: ['SALES'] };
    expect(await send(origin, 'POST', '/users', user, token)).toMatchObject({ status: 201 });
  }
}

/** Makes second factors a condition of logins. */
export async function requireFactors(origin: string, tenant: keyof typeof ADMINISTRATORS): Promise<void> {
  const token = await logIn(origin, ADMINISTRATORS[tenant]);
  const policy = { secondFactor: 'REQUIRED' };
  expect(await send(origin, 'PATCH', `/tenants/${tenant}/policy`, policy, token)).toMatchObject({ status: 200 });
}

/** Locks the password of an account. */
export async function lockPassword(origin: string, username: string): Promise<void> {
  for (let failures = 0; failures < 5; failures += 1)
    await send(origin, 'POST', '/auth/login', { username, password: 'wrong' });
}
