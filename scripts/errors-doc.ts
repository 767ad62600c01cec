// Writes docs/reference/errors.md from the catalogue of failures and the comments of reason.proto. With --check, it writes nothing
// and fails if the page differs.
import { readFileSync } from 'node:fs';
import { FINDINGS } from '../src/auth/access/findings.ts';
import { REFUSALS } from '../src/auth/access/refusals.ts';
import { CATALOGUE, DEFAULT_OAUTH_CODE, REASONS } from '../src/platform/problem/catalogue.ts';
import type { FailureName } from '../src/platform/problem/catalogue.ts';
import type { FailureKind } from '../src/platform/problem/failure-kind.ts';
import { writePage } from './write-page.ts';

const COMMENTS = JSON.parse(readFileSync(new URL('../proto/gen/comments.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, string>
>;

const INTRODUCTION = `# Errors

Generated from \`src/platform/problem/\`, \`src/auth/access/{refusals,findings}.ts\` and \`proto/authservice/error/v1/reason.proto\` by \`scripts/errors-doc.ts\`; change them there.

A REST error is a problem document (RFC 9457):

\`\`\`json
{
  "type": "urn:service:error:not-found",
  "title": "Not found",
  "status": 404,
  "detail": "The resource does not exist",
  "errorCode": "not-found",
  "instance": "/api/v1/customers/42"
}
\`\`\`

- Branch on \`errorCode\`, never on \`detail\` or \`title\`.
- \`violations\` lists the invalid fields. \`props\` is the path to the field, \`format\` the rule, \`params\` its parameters.
- A 409 or 403 of administration has one violation with what is in the way: [Refusals](#refusals).
- Under \`maximal\` disclosure, \`detail\` is the actual reason. \`exceptionType\`, \`exceptionMessage\` and \`stackTrace\` are added.
- A gRPC error carries the reason in \`google.rpc.ErrorInfo\`: [Handle errors](../grpc-clients.md#handle-errors).
- The [token endpoints](#token-endpoints) and [Profile B](#profile-b) have error formats of their own.

## All errors

A reason without a gRPC status occurs over REST only.

`;

/** Failures in the order of their HTTP statuses. */
const entries = (Object.entries(CATALOGUE) as readonly [FailureName, FailureKind][]).toSorted(
  ([, left], [, right]) => left.status - right.status,
);

const table = (columns: readonly string[], rows: readonly (readonly string[])[]) =>
  [columns, columns.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |\n`).join('');

const isReason = (name: FailureName): name is keyof typeof REASONS => Object.hasOwn(REASONS, name);

function row([name, { status, code, retryAfterSeconds, detail }]: (typeof entries)[number]): string[] {
  const comment = COMMENTS[`authservice.error.v1.Reason.REASON_${name}`] ?? `${detail}.`;
  const grpcStatus = isReason(name) ? REASONS[name].grpcStatus : '–';
  const meaning = comment
    .replace(new RegExp(` ${grpcStatus}\\.$`), '')
    .replace(`${grpcStatus}, maximal disclosure only.`, 'Maximal disclosure only.')
    .replace(` ${grpcStatus}, with google.rpc.RetryInfo.`, ' With google.rpc.RetryInfo.');
  const retry = retryAfterSeconds === undefined ? '' : ` \`Retry-After\` is ${retryAfterSeconds} by default.`;
  return [`${status} \`${code}\``, `\`${name}\``, grpcStatus, meaning + retry];
}

/** Returns a row for each code, with all reasons that have it. */
function codeRows(codes: readonly (readonly [status: number, code: string, reason: string])[]): string[][] {
  const byCode = Map.groupBy(codes, ([status, code]) => `${status} \`${code}\``);
  return [...byCode].map(([key, group]) => [
    ...key.split(' '),
    group.map(([, , reason]) => `\`${reason}\``).join(', '),
  ]);
}

const oauthRows = codeRows(
  entries.flatMap(([name, { status, code, oauthStatus = status, oauthCode }]) =>
    oauthCode && !(oauthStatus === status && oauthCode === code) ? [[oauthStatus, oauthCode, name] as const] : [],
  ),
);

const profileBRows = codeRows(
  entries.flatMap(([name, { status, profileBCode }]) => (profileBCode ? [[status, profileBCode, name] as const] : [])),
);

interface RefusalEntry {
  readonly text: string;
  readonly otherwise?: string;
  readonly props?: readonly string[];
  readonly reason?: keyof typeof REASONS;
}

const refusalRows = (Object.entries(REFUSALS) as [string, RefusalEntry][]).map(
  ([code, { text, otherwise, props = [], reason = 'CONFLICT' }]) => [
    `\`${code}\``,
    `${REASONS[reason].status} \`${REASONS[reason].code}\``,
    props.length === 0 ? '–' : `\`${props.join('.')}\``,
    `${text}${otherwise === undefined ? '' : `, or: ${otherwise}`}.`,
  ],
);

const page =
  `${INTRODUCTION}${table(['errorCode', 'Reason', 'gRPC status', 'Meaning'], entries.map(row))}` +
  `\n## Refusals\n\nThe violation of a refused change. Its \`format\` is stable, and its \`params\` are the names in braces, under minimal disclosure too.\n\`finding\` is the code of a [finding](#findings). A later release can have more formats and more parameters.\n\n` +
  table(['format', 'errorCode', 'Field', 'Message'], refusalRows) +
  `\n## Findings\n\nThe checks of \`POST /credentials/explain\` have a stable \`code\`. Their \`params\` are the names in braces, and more for some codes.\n\`policy\` stands for values of the tenant's policy: \`lockDuration\` is one, and \`lockDurationSource\` is \`TENANT\` or the setting that it\nis from. \`secrets\` are ids, each with its end after a slash. A later release can have more codes.\n\n` +
  table(
    ['code', 'Message'],
    Object.entries(FINDINGS).map(([code, text]) => [`\`${code}\``, `${text}.`]),
  ) +
  `\n## Token endpoints\n\n\`POST /auth/token\`, \`/auth/introspect\`, \`/auth/revoke\` and \`token\`, \`par\` and \`userinfo\` of \`/auth/oauth2\` return\n\`error\` and \`error_description\` (RFC 6749). An \`errorCode\` above with an underscore is the \`error\`. Of the others, these have one of their own,\nand the rest are \`${DEFAULT_OAUTH_CODE}\`. At userinfo, each 401 is \`invalid_token\`. \`application/json\` requests get problem documents with this code as \`errorCode\`.\n\n` +
  table(['Status', 'error', 'Reason'], oauthRows) +
  `\n## Profile B\n\nIf \`app.security.auth-profile\` is \`B\`, login, refresh, me and logout return \`message\`, \`error\`, \`path\` and\n` +
  `\`timestamp\`. Every other reason is its own \`error\`.\n\n${table(['Status', 'error', 'Reason'], profileBRows)}`;

writePage('docs/reference/errors.md', page);
