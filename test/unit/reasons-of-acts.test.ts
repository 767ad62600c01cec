// Each act of an administrator can have a reason, which stands in its audit record: over gRPC and REST, and on the command line.
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../cli/commands/all.ts';
import { Values } from '../../cli/command.ts';
import type { Core } from '../../cli/core/core.ts';
import type { Terminal } from '../../cli/terminal/terminal.ts';
import { Permission } from '../../proto/gen/authservice/access/v1/access.ts';
import { contracts } from '../../gateway/contract/contracts.ts';
import { newId } from '../../src/platform/db/ids.ts';
import { ownDescriptors, readOnlyMethods } from '../../src/platform/rpc/contract/descriptors.ts';
import type { MethodDefinition } from '../../src/platform/rpc/types.ts';
import { RPCS } from '../rpc/admin/rpcs.ts';

/** Acts without a reason, and why. */
const WITHOUT_REASON: Readonly<Record<string, string>> = {
  'application.retryApplicationDelivery': 'sends a notice again, and changes no record',
  'audit.exportAuditRecords': 'reads records, and changes none',
  'webhook.redeliverWebhook': 'sends deliveries again, and changes no record',
  'webhook.retryWebhookDelivery': 'sends a delivery again, and changes no record',
  'webhook.testWebhook': 'sends a test, and changes no record',
};
/** Acts that no command does. */
const WITHOUT_COMMAND = ['authorization.revokeUserGrant'];

const READ_ONLY = readOnlyMethods(ownDescriptors());
const ACTS = RPCS.filter(
  ({ definition, isOfShop, rule }) =>
    !isOfShop && !READ_ONLY.has(definition.path) && rule!.permission !== Permission.PERMISSION_UNSPECIFIED,
);
const WITH_REASON = RPCS.filter(({ method }) => method.input.fields.some(({ name }) => name === 'reason'));

it('every RPC with which an administrator changes something has a reason', () => {
  const without = ACTS.filter((act) => !WITH_REASON.includes(act)).map(({ name }) => name);
  expect(without.toSorted()).toEqual(Object.keys(WITHOUT_REASON));
});

it('has one bound for all of them', () => {
  const bounds = WITH_REASON.map(({ method }) => {
    const field = method.input.fields.find(({ name }) => name === 'reason')!;
    return contracts().ruleOf(field)?.max;
  });
  expect(new Set(bounds)).toEqual(new Set([500]));
});

/** What commands need besides their arguments. A command with several kinds of requests has several. */
const INPUTS: Readonly<Record<string, readonly object[]>> = {
  'application update': [{ name: 'x' }],
  'client update': [{ name: 'x' }],
  'role update': [{ description: 'x' }],
  'session revoke': [{}, { session: undefined, user: newId() }],
  'tenant policy set': [{ changes: ['recovery=true'] }],
  'user invite': [{}, { link: true }],
  'user update': [{ name: 'x' }],
  'webhook update': [{ url: 'https://example.com/' }],
};

/** Runs a command with a reason against a core that records its requests, and refuses them. */
async function requestsOf({ name, arguments: named = {}, run }: (typeof COMMANDS)[number]) {
  const requests: (readonly [path: string, request: object])[] = [];
  const client = (service: Readonly<Record<string, MethodDefinition>>) =>
    Object.fromEntries(
      Object.entries(service).map(([rpc, { path }]) => [
        rpc,
        async (request: object) => {
          requests.push([path, request]);
          throw new Error('refused');
        },
      ]),
    );
  const all = Object.keys(named).map((notation) => {
    const text = notation.replaceAll(/[<>[\]]/g, '');
    const key = text.replace('...', '').replaceAll(/-./g, (letters) => letters[1]!.toUpperCase());
    return [key, text.endsWith('...') ? ['SALES'] : newId()];
  });
  const core = async () => ({ client }) as unknown as Core;
  const terminal = { readSecret: async () => 'a long password' } as unknown as Terminal;
  for (const input of INPUTS[name] ?? [{}]) {
    const values = new Values({ ...Object.fromEntries(all), reason: 'why', ...input }, '/');
    await run({ values, terminal, settingFlags: [], json: true, core }).catch(() => undefined);
  }
  return requests;
}

describe('a command with --reason', () => {
  const offering = COMMANDS.filter(({ options = {} }) => '--reason <text>' in options);

  it.each(offering.map((command) => [command.name, command] as const))('%s: sends it', async (_name, command) => {
    const requests = await requestsOf(command);
    expect(requests).not.toEqual([]);
    for (const [, request] of requests) expect(request).toMatchObject({ reason: 'why' });
  });

  it('does each act', async () => {
    const done = new Set((await Promise.all(offering.map(requestsOf))).flat().map(([path]) => path));
    const missing = WITH_REASON.filter(({ definition }) => !done.has(definition.path)).map(({ name }) => name);
    expect(missing.toSorted()).toEqual(WITHOUT_COMMAND);
  });
});
