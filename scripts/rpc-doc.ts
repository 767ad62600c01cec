// Writes docs/reference/rpcs.md from the protos and their comments. With --check, it writes nothing and fails if the page differs.
import { spawnSync } from 'node:child_process';
import { Permission } from '../proto/gen/authservice/access/v1/access.ts';
import { createBuiltInRoles, ROLES } from '../src/auth/access/roles/built-in-roles.ts';
import { builtInRights } from '../src/auth/access/roles/rights.ts';
import { MODULES } from '../src/composition/modules.ts';
import { maxResponseBytes } from './max-response-bytes.ts';
import { writePage } from './write-page.ts';

/** The parts of google.protobuf.FileDescriptorSet in JSON that this script reads. */
interface File {
  readonly package: string;
  readonly service?: readonly { readonly name: string; readonly method: readonly Method[] }[];
  readonly enumType?: readonly { readonly name: string; readonly value: readonly { readonly name: string }[] }[];
  readonly sourceCodeInfo: {
    readonly location: readonly { readonly path?: readonly number[]; readonly leadingComments?: string }[];
  };
}
interface Method {
  readonly name: string;
  readonly inputType: string;
  readonly outputType: string;
  readonly clientStreaming?: boolean;
  readonly serverStreaming?: boolean;
  readonly options: {
    readonly idempotencyLevel?: 'NO_SIDE_EFFECTS' | 'IDEMPOTENT';
    readonly '[authservice.access.v1.rule]': {
      readonly credential: string;
      readonly permission?: keyof typeof Permission;
      readonly refusesApiKeys?: boolean;
      readonly orPermission?: keyof typeof Permission;
      readonly orResourceServer?: boolean;
      readonly fresh?: boolean;
    };
    readonly '[google.api.http]'?: HttpRule & { readonly additionalBindings?: readonly HttpRule[] };
    readonly '[authservice.error.v1.error]'?: readonly { readonly reason: string; readonly when?: string }[];
  };
}

/** Reasons that most RPCs can return, and that the page explains once. */
const COMMON_ERRORS = [
  'VALIDATION_ERROR',
  'NOT_FOUND',
  'TENANT_MISMATCH',
  'PERMISSION_DENIED',
  'PRECONDITION_FAILED',
  'AUTHENTICATION_SERVICE_UNAVAILABLE',
];
/** The limit of most gRPC clients. */
const DEFAULT_MAX_BYTES = 4 * 1024 * 1024;

/** The length of a cause of an error that is written again. */
const MAX_REPEATED = 40;

const VERBS = ['get', 'post', 'put', 'patch', 'delete'] as const;
type HttpRule = { readonly [Verb in (typeof VERBS)[number]]?: string };

/** Field numbers of descriptor.proto, as used in the paths of comments. */
const SERVICE = 6;
const METHOD = 2;
const ENUM = 5;

const INTRODUCTION = `# RPCs

Generated from \`proto/\` by \`scripts/rpc-doc.ts\`; change the comments there. They say more than the first sentence shown here, as does
the OpenAPI document. [grpc-clients.md](../grpc-clients.md) shows how to call RPCs, [errors.md](errors.md) explains the reasons of errors.

- *Needs* is the credential, a bearer token or an API key, and its [permission](#permissions). An RPC without it ignores credentials.
- *Not by API key* means that a call with an API key returns PERMISSION_DENIED.
- *Fresh session* means the same, and that the user must have been authenticated recently (RFC 9470). Otherwise the call returns
  FRESH_SESSION_REQUIRED. SessionService/ConfirmSession renews the session.
- *Safe* means that the call changes nothing, as all calls with a GET route. You can repeat it after every failure.
- An RPC whose name says what it does has no sentence.
- These reasons are only listed with their cause: ${COMMON_ERRORS.join(', ')}.
- The services of \`authservice.business.v1\` are UNIMPLEMENTED if \`app.business.enabled\` is \`false\`.
- Amounts of money are integers in hundredths of the currency, whichever it is: 3990 is 39.90, in EUR as in JPY. REST shows 39.9.

`;

const files = (JSON.parse(descriptors()) as { file: readonly File[] }).file;

function descriptors(): string {
  const {
    stdout,
    status: code,
    error,
  } = spawnSync('buf', ['build', 'proto', '-o', '-#format=json'], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (error) throw error;
  if (code !== 0) throw new Error('buf build failed');
  return stdout;
}

function commentAt({ sourceCodeInfo }: File, ...path: readonly number[]): string {
  const { leadingComments = '' } =
    sourceCodeInfo.location.find((location) => location.path?.join() === path.join()) ?? {};
  return leadingComments.trim().replaceAll(/\s*\n\s*/g, ' ');
}

const short = (name: string) => name.replace(/^(?:PERMISSION|REASON)_/, '');

/** Returns the declared credential and the conditions on it. */
function needs({ options: { '[authservice.access.v1.rule]': rule } }: Method): string {
  const { credential, permission, orPermission, refusesApiKeys, orResourceServer, fresh } = rule;
  if (credential === 'CREDENTIAL_IGNORED') return '';
  const holder = permission === undefined ? 'a credential' : short(permission);
  const conditions = [
    credential === 'CREDENTIAL_OPTIONAL' ? `${holder}, optional` : holder,
    ...(orPermission === undefined ? [] : [`or ${short(orPermission)}`]),
    ...(orResourceServer ? ['or a resource server'] : []),
    ...(refusesApiKeys && !fresh ? ['not by API key'] : []),
    ...(fresh ? ['fresh session'] : []),
  ];
  return ` Needs ${conditions.join(', ')}.`;
}

/** Returns the declared errors that are specific to this RPC. A long cause is written once for a service: `told` has its causes. */
function errorsText({ options }: Method, told: Set<string>): string {
  const errors = (options['[authservice.error.v1.error]'] ?? [])
    .filter(({ reason, when }) => when !== undefined || !COMMON_ERRORS.includes(short(reason)))
    .map(({ reason, when = '' }) => {
      const cause = told.has(reason + when) && when.length > MAX_REPEATED ? 'as above' : when;
      told.add(reason + when);
      return short(reason) + (cause === '' ? '' : ` (${cause})`);
    });
  return errors.length === 0 ? '' : ` Errors: ${errors.join(', ')}.`;
}

/** Returns the declared routes of REST. */
function routesText({ options: { '[google.api.http]': http } }: Method): string {
  if (http === undefined) return '';
  const { additionalBindings = [], ...first } = http;
  const routes = [first, ...additionalBindings].flatMap((rule) =>
    VERBS.flatMap((verb) => (rule[verb] === undefined ? [] : [`\`${verb.toUpperCase()} ${rule[verb]}\``])),
  );
  return ` (${routes.join(', ')})`;
}

function methodLine(file: File, service: number, index: number, method: Method, told: Set<string>): string {
  const [sentence = ''] = commentAt(file, SERVICE, service, METHOD, index).split(/(?<=\.)\s/);
  const begin = `- \`${method.name}\`${routesText(method)}`;
  if (sentence.startsWith('Deprecated')) return `${begin}: ${sentence}\n`;
  const isSafe =
    method.options.idempotencyLevel !== undefined && method.options['[google.api.http]']?.get === undefined;
  const purpose = isName(method.name, sentence) ? '.' : `: ${sentence}`;
  return `${begin}${purpose}${streamText(method)}${needs(method)}${isSafe ? ' Safe.' : ''}${errorsText(method, told)}\n`;
}

/** Whether a sentence has the words of a name, articles aside. */
function isName(name: string, sentence: string): boolean {
  const words = sentence.replace(/\.$/, '').replaceAll(/\b(?:a|an|the|your|own)\b ?/gi, '');
  return words.toLowerCase() === name.replaceAll(/(?<=.)[A-Z]/g, ' $&').toLowerCase();
}

function streamText({ clientStreaming, serverStreaming }: Method): string {
  const streams = [...(clientStreaming ? ['requests'] : []), ...(serverStreaming ? ['responses'] : [])];
  return streams.length === 0 ? '' : ` Streams ${streams.join(' and ')}.`;
}

function serviceSections(file: File): string[] {
  return (file.service ?? []).map(({ name, method }, index) => {
    const told = new Set<string>();
    const lines = method.map((each, at) => methodLine(file, index, at, each, told));
    return `## ${file.package}.${name}\n\n${commentAt(file, SERVICE, index)}\n\n${lines.join('')}`;
  });
}

/** Returns the enum values of a package with their comments. */
function valuesOf(packageName: string): { readonly name: string; readonly comment: string }[] {
  const file = files.find((each) => each.package === packageName && each.enumType !== undefined)!;
  return file.enumType!.flatMap(({ value }, type) =>
    value.map(({ name }, number) => ({ name, comment: commentAt(file, ENUM, type, METHOD, number) })),
  );
}

/** The introduction of the table says so. */
const OF_TENANT = /,? of the caller's tenant| \(SUPER_ADMIN: of every tenant\)/g;
const ADMINISTRATORS = 'SUPER_ADMIN, TENANT_ADMIN, ADMIN, OWNER';

function permissionTable(): string {
  const table = createBuiltInRoles(MODULES.flatMap(({ grants = {} }) => [grants]));
  const holders = (permission: Permission) =>
    ROLES.filter((role) => builtInRights({ roles: [role], tenantId: 'acme' }, table).permissions.has(permission))
      .join(', ')
      .replace(ADMINISTRATORS, '[administrators](../glossary.md#accounts)');
  const rows = valuesOf('authservice.access.v1')
    .filter(({ name }) => name.startsWith('PERMISSION_') && name !== 'PERMISSION_UNSPECIFIED')
    .map(
      ({ name, comment }) =>
        `| ${short(name)} | ${comment.replaceAll(OF_TENANT, '')} | ${holders(Permission[name as keyof typeof Permission])} |`,
    );
  return `## Permissions\n\nA permission holds for the tenant of the caller, that of a SUPER_ADMIN for every tenant.\n\n| Permission | Meaning | Roles that hold it |\n|---|---|---|\n${rows.join('\n')}\n`;
}

/** The RPCs whose responses gRPC clients refuse by default. */
function largeResponses(): string {
  const rows = files.flatMap((file) =>
    (file.service ?? []).flatMap(({ name, method }) =>
      method
        .map((each) => ({ rpc: `${name}/${each.name}`, bytes: maxResponseBytes(each.outputType.slice(1)) }))
        .filter(({ bytes }) => bytes > DEFAULT_MAX_BYTES)
        .map(({ rpc, bytes }) => `- \`${rpc}\`: ${Math.ceil(bytes / 1e6)} MB\n`),
    ),
  );
  return (
    '## Large responses\n\nMost gRPC clients refuse messages above 4 MiB by default. The responses of these RPCs can be larger. The size is\n' +
    `computed from the bounds of the fields, with four bytes for each character.\n\n${rows.toSorted().join('')}`
  );
}

const services = files.flatMap(serviceSections).toSorted();
const page = INTRODUCTION + [...services, largeResponses(), permissionTable()].join('\n');
writePage('docs/reference/rpcs.md', page);
