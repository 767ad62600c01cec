// The one table of RPCs has a valid request of every RPC: the isolation check, and the tests of access, of any content and of all
// operations over REST, derive theirs from it.
import { expect, it } from 'vitest';
import { RPCS } from '../../cli/isolation/cases.ts';
import { declarationOf } from '../../cli/isolation/derive-cases.ts';
import { EXAMPLES } from '../../cli/isolation/examples/all.ts';
import { pathOf } from '../../cli/isolation/rpcs.ts';
import { compileCheck } from '../../src/platform/rpc/contract/check.ts';
import { ownDescriptors } from '../../src/platform/rpc/contract/descriptors.ts';
import { emptyMessage } from '../../src/platform/rpc/contract/values.ts';
import { missingRecords } from '../support/records.ts';

const descriptors = ownDescriptors();
const ROWS = EXAMPLES.flatMap(({ definition, examples }) =>
  Object.entries(examples).map(
    ([name, { request }]) => [definition[name]!.path, { definition: definition[name]!, request }] as const,
  ),
);

it('names the RPCs without an example in cli/isolation/examples', () => {
  const paths = new Set(ROWS.map(([path]) => path));
  expect(descriptors.methods.map(pathOf).filter((path) => !paths.has(path))).toEqual([]);
});

it.each(ROWS)('%s: the example breaks no rule of its fields', (_path, { definition, request }) => {
  const { input } = declarationOf(definition);
  const check = compileCheck(input, descriptors);
  const records = missingRecords();
  for (const message of [request(records, records)].flat()) {
    const { noRecord, violations } = check({ ...emptyMessage(input), ...message });
    expect({ noRecord, violations }).toEqual({ noRecord: false, violations: [] });
  }
});

/** The expectations of an RPC, or why it is not called. */
const expectationsOf = (rpc: string) => {
  const [service, name] = rpc.split('.') as [string, string];
  const { cases } = RPCS.find(({ definition }) => Object.values(definition)[0]!.path.includes(`.${service}/`))!;
  const { notApplicable, probes } = cases[name]!;
  return notApplicable ?? probes.map(({ expectation }) => expectation).join(', ');
};

it.each([
  ['IdentityService.getUser', 'hidden'],
  ['IdentityService.createUser', 'elsewhere'],
  ['IdentityService.listUsers', 'own, elsewhere, nothing'],
  ['OrderService.createOrder', 'elsewhere, reference, reference'],
  ['OrderService.updateOrder', 'hidden, elsewhere, reference, reference'],
  ['OrderService.listOrders', 'own, nothing, nothing'],
  ['CustomerService.findDuplicateCustomers', 'nothing, nothing'],
  ['RoleService.getRole', 'hidden, elsewhere'],
  ['RoleService.deleteRole', 'hidden, elsewhere'],
  ['TenancyService.getTenant', 'forbidden'],
  ['TenancyService.getTenantPolicy', 'hidden'],
  ['SessionService.streamRevocations', 'forbidden'],
  ['SessionService.login', 'takes a username and a password'],
])('%s is probed for %s', (rpc, expected) => {
  expect(expectationsOf(rpc)).toBe(expected);
});
