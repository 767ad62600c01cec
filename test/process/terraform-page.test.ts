// The resources of docs/terraform.md against a running service: the requests that the provider Mastercard/restapi sends according to
// its documentation. The provider itself does not run.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shellBlocks } from '../../scripts/shell-blocks.ts';
import { runShell } from '../languages/commands.ts';
import { emptyFolder, endProcesses, FREE_PORTS, PROJECT, startProgram } from '../support/service-process.ts';

const PAGE = 'docs/terraform.md';
const page = readFileSync(join(PROJECT, PAGE), 'utf8');
const blocks = [...page.matchAll(/```hcl\n(.*?)```/gs)].map(([, hcl]) => hcl!);

type Json = Readonly<Record<string, unknown>>;

/** A resource of the page: its attributes as they are written. */
interface Resource {
  readonly name: string;
  readonly text: (attribute: string) => string | undefined;
  readonly json: (attribute: string) => Json | undefined;
  readonly names: (attribute: string) => readonly string[];
}

function resourcesOf(hcl: string): Resource[] {
  return [...hcl.matchAll(/^resource "restapi_object" "(\w+)" \{\n(.*?)^\}/gms)].map(([, name, body]) => {
    const value = (attribute: string) => new RegExp(`^  ${attribute} += (.+)$`, 'm').exec(body!)?.[1];
    return {
      name: name!,
      text: (attribute) => value(attribute)?.replace(/^"(.*)"$/, '$1'),
      json: (attribute) => {
        const encoded = value(attribute);
        return encoded === undefined ? undefined : (JSON.parse(/^jsonencode\((.*)\)$/.exec(encoded)![1]!) as Json);
      },
      names: (attribute) => JSON.parse(value(attribute) ?? '[]') as string[],
    };
  });
}

const resources = blocks.flatMap(resourcesOf);
const ids = new Map<string, string>();

let origin: string;
let rootToken = '';
let tenantToken = '';
/** The resources of the first configuration, which a SUPER_ADMIN runs. */
const ofTenants = resourcesOf(blocks[0]!).map(({ name }) => name);
const tokenOf = ({ name }: Resource): string => (ofTenants.includes(name) ? rootToken : tenantToken);

/** Replaces references to the ids of other resources. */
const resolve = (text: string): string =>
  text.replaceAll(/(?:\$\{)?restapi_object\.(\w+)\.id\}?/g, (_, name: string) => ids.get(name)!);

async function send(
  method: string,
  path: string,
  body?: Json,
  token = rootToken,
): Promise<{ status: number; body: Json }> {
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Json) };
}

/** The path of a request: its own attribute, else the path of the resource with its id. */
function pathOf(resource: Resource, kind: 'read' | 'update' | 'destroy'): string {
  const path = resource.text(`${kind}_path`) ?? `${resource.text('path')}/{id}`;
  return resolve(path).replaceAll('{id}', ids.get(resource.name)!);
}

async function create(resource: Resource): Promise<void> {
  const { status, body } = await send(
    resource.text('create_method') ?? 'POST',
    resolve(resource.text('path')!),
    resource.json('data'),
    tokenOf(resource),
  );
  expect([resource.name, status, body['detail']]).toEqual([resource.name, expect.toBeOneOf([200, 201]), undefined]);
  const found = (resource.text('id_attribute') ?? 'id')
    .split('/')
    .reduce<unknown>((part, name) => (part as Json)[name], body);
  const own = resource.text('object_id');
  ids.set(resource.name, own === undefined ? String(found) : resolve(own));
}

/** The members of `data` that Terraform would change after a read. */
async function drift(resource: Resource): Promise<string[]> {
  const { status, body } = await send('GET', pathOf(resource, 'read'), undefined, tokenOf(resource));
  expect([resource.name, status]).toEqual([resource.name, 200]);
  if (resource.text('ignore_all_server_changes') === 'true') return [];
  const managed = Object.entries(resource.json('data')!).filter(
    ([name]) => !resource.names('ignore_changes_to').includes(name),
  );
  expect(managed.length).toBeGreaterThan(0);
  return managed.filter(([name, value]) => JSON.stringify(body[name]) !== JSON.stringify(value)).map(([name]) => name);
}

beforeAll(async () => {
  const cwd = emptyFolder();
  const settings = {
    ...FREE_PORTS,
    'app.env': 'DEV',
    // Mail is on if this is set.
    'app.public-url': 'http://localhost:8080',
    'app.database.url': `sqlite:${join(cwd, 'service.db')}`,
  };
  origin = (await startProgram('gateway', { settings, cwd }).ready()).http;
  const login = { username: 'root', password: 'demo-password-1' };
  const session = (await send('POST', '/api/v1/auth/login', login)).body as { accessToken: string };
  rootToken = session.accessToken;
});
afterAll(endProcesses);

/** Creates the service account by the command of the page, and gets a token as the provider does. */
async function loginAsTenant(): Promise<void> {
  const [block] = shellBlocks(PAGE).filter(({ mark }) => mark.kind === 'run');
  const env = { API: `${origin}/api/v1`, ROOT: rootToken };
  const { clientSecret } = JSON.parse(await runShell(block!.commands, { env })) as { clientSecret: string };
  const [, clientId] = /oauth_client_id += "(.+)"/.exec(page)!;
  const [, path] = /oauth_token_endpoint = "https:\/\/[^/]+(.+)"/.exec(page)!;
  const response = await fetch(`${origin}${path}`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  expect(response.status).toBe(200);
  tenantToken = ((await response.json()) as { access_token: string }).access_token;
}

it('the page has a resource for each kind of record', () => {
  const paths = resources.map((resource) => resource.text('path')!);
  for (const part of ['tenants', 'login-domains', 'policy', 'roles', 'users', 'webhooks'])
    expect(paths.some((path) => path.endsWith(`/${part}`))).toBe(true);
  const written = blocks.join('').match(/^resource /gm)!;
  expect(resources).toHaveLength(written.length);
});

describe('the requests of the provider', () => {
  it('create all records, in the order of the page', async () => {
    for (const resource of resources) {
      if (tenantToken === '' && !ofTenants.includes(resource.name)) await loginAsTenant();
      await create(resource);
    }
    expect(ids.get('invoice_clerk')).toBe('INVOICE_CLERK');
  });

  it('read them, and find no difference', async () => {
    for (const resource of resources) expect([resource.name, await drift(resource)]).toEqual([resource.name, []]);
  });

  it('update them', async () => {
    for (const resource of resources.filter(({ name }) => name !== 'roses')) {
      const method = resource.text('update_method') ?? 'PATCH';
      const { status } = await send(
        method,
        pathOf(resource, 'update'),
        resource.json('update_data') ?? resource.json('data'),
        tokenOf(resource),
      );
      expect([resource.name, status]).toEqual([resource.name, 200]);
    }
  });

  it('see a change that was made elsewhere, and undo it', async () => {
    const alerts = resources.find(({ name }) => name === 'alerts')!;
    const path = pathOf(alerts, 'update');
    await send('PATCH', path, { events: ['login.failed'] }, tenantToken);
    expect(await drift(alerts)).toEqual(['events']);
    await send('PATCH', path, alerts.json('update_data'), tenantToken);
    expect(await drift(alerts)).toEqual([]);
  });

  it('destroy them in the reverse order', async () => {
    for (const resource of resources.toReversed()) {
      const { status } = await send(
        resource.text('destroy_method') ?? 'DELETE',
        pathOf(resource, 'destroy'),
        resource.json('destroy_data'),
        tokenOf(resource),
      );
      expect([resource.name, status]).toEqual([resource.name, expect.toBeOneOf([200, 204])]);
    }
    expect((await send('GET', '/api/v1/tenants/roses')).body).toMatchObject({ status: 'SUSPENDED', loginDomains: [] });
  });
});

const hasTerraform = spawnSync('terraform', ['version']).status === 0;

it(hasTerraform ? 'terraform accepts the format of the blocks' : 'the blocks have balanced braces', () => {
  const text = blocks.join('\n');
  expect(text.match(/[{[(]/g)!.length).toBe(text.match(/[}\])]/g)!.length);
  if (!hasTerraform) return;
  const cwd = emptyFolder();
  writeFileSync(join(cwd, 'main.tf'), text);
  const { status, stdout } = spawnSync('terraform', ['fmt', '-check', '-diff'], { cwd, encoding: 'utf8' });
  expect([status, stdout]).toEqual([0, '']);
});
