// The commands of docs/grpc-clients.md work as documented.
import { globSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ownDescriptors } from '../../src/platform/rpc/contract/descriptors.ts';
import { readOnlyMethods } from '../../src/platform/rpc/contract/descriptors.ts';
import { PROJECT, emptyFolder, endProcesses } from '../support/service-process.ts';
import { runShell } from './commands.ts';
import { type Core, MANAGER, startCore, startWithMutualTls } from './cores.ts';
import { docCommandNames, docCommands } from './doc-commands.ts';
import { type SignedIn, signIn } from './sign-in.ts';
import { goTools } from './toolchain.ts';

let core: Core;
let secure: Core;
let user: SignedIn;
let env: Record<string, string>;

beforeAll(async () => {
  const tools = await goTools('grpcurl', 'ghz');
  core = await startCore();
  secure = await startWithMutualTls();
  user = await signIn(core);
  env = { TOKEN: user.accessToken, PATH: [join(PROJECT, 'node_modules/.bin'), tools].join(delimiter) };
});
afterAll(async () => {
  await user?.logOut();
  await endProcesses();
});

const portOf = ({ address }: Core) => address.split(':').at(-1)!;
const inProject = () => ({ cwd: PROJECT, env });

it('runs all commands of the page', () => {
  expect(docCommandNames).toEqual(['certificates', 'pkcs8', 'by-hand', 'by-hand-mtls', 'load']);
});

it('turns an older key into PKCS#8', async () => {
  const cwd = emptyFolder();
  await runShell('openssl ecparam -name prime256v1 -genkey -noout -out old.key', { cwd });
  expect(readFileSync(join(cwd, 'old.key'), 'utf8')).toContain('BEGIN EC PRIVATE KEY');
  await runShell(docCommands('pkcs8'), { cwd });
  expect(readFileSync(join(cwd, 'new.key'), 'utf8')).toContain('BEGIN PRIVATE KEY');
});

it('calls by hand with buf curl and grpcurl', async () => {
  const output = await runShell(docCommands('by-hand', portOf(core)), inProject());
  const services = output.match(/^authservice\.[\w.]+Service$/gm);
  expect(services).toContain('authservice.identity.v1.IdentityService');
  expect(output).toContain('authservice.identity.v1.IdentityService/GetMe');
  expect(output.match(new RegExp(`"username": ?"${MANAGER}"`, 'g'))).toHaveLength(2);
  expect(output).toContain('"status": "SERVING"');
});

it('calls by hand over mTLS', async () => {
  const cwd = dirname(secure.env['CORE_CA']!);
  const output = await runShell(docCommands('by-hand-mtls', portOf(secure)), { cwd, env });
  expect(output).toContain('"status": "SERVING"');
});

it('puts load on the core with ghz', async () => {
  const output = await runShell(docCommands('load', portOf(core)), inProject());
  expect(output).toMatch(/\[OK\]\s+200 responses/);
});

it('the documented service config retries read-only calls only', () => {
  const config = JSON.parse(readFileSync(join(PROJECT, 'examples/service-config.json'), 'utf8')) as {
    methodConfig: { name: { service: string; method: string }[] }[];
  };
  const repeated = config.methodConfig.flatMap(({ name }) => name.map(({ service, method }) => `${service}/${method}`));
  expect(repeated.length).toBeGreaterThan(0);
  const readOnly = readOnlyMethods(ownDescriptors());
  for (const method of repeated) expect(readOnly).toContain(`/${method}`);
});

it('the documented size limit accepts the largest response of every RPC', () => {
  const page = readFileSync(join(PROJECT, 'docs/reference/rpcs.md'), 'utf8');
  const sizes = [...page.split('\n## Large responses\n')[1]!.matchAll(/^- `\w+\/\w+`: (\d+) MB$/gm)];
  const largest = Math.max(...sizes.map(([, size]) => Number(size) * 1e6));
  expect(largest).toBeGreaterThan(4 * 2 ** 20);
  expect(largest).toBeLessThan(32 * 2 ** 20);
});

it('needs only google/api of third_party in Go, Java and Python, whose libraries contain it', () => {
  const files = globSync('proto/authservice/**/*.proto', { cwd: PROJECT });
  const imports = files.flatMap((file) => {
    const text = readFileSync(join(PROJECT, file), 'utf8');
    return [...text.matchAll(/^import (?:public |weak )?"(.*)";$/gm)].map(([, path]) => path!);
  });
  expect(imports.length).toBeGreaterThan(0);
  expect(imports.filter((path) => !/^(authservice|google\/api|google\/protobuf)\//.test(path))).toEqual([]);
});
