// The commands on roles.
import { RoleServiceService, type Role } from '../../proto/gen/authservice/tenancy/v1/role_service.ts';
import type { Command, Input } from '../command.ts';
import { EXIT, CommandFailure } from '../failure.ts';
import { listCommand, REASON } from './lists.ts';

const ROLE = { '<name>': 'the name of the role' };
const TENANT = { '--tenant <id>': 'the tenant, for a SUPER_ADMIN (default: a role for every tenant)' };
const DEFINITION = {
  '--description <text>': 'its purpose',
  '--permission <permission...>': 'a permission that it grants, such as invoices:read or READ_ORDERS',
  '--inherits <name...>': 'a role whose permissions it has as well',
};

export const ROLE_COMMANDS: readonly Command[] = [
  listCommand({
    name: 'role list',
    summary: 'list built-in and own roles',
    options: { ...TENANT, '--query <text>': 'part of the name or description' },
    columns: ['name', 'description', 'tenantId', 'builtIn', 'permissions', 'inherits', 'accountCount'],
    read(core, values) {
      const filter = { tenantId: values.text('tenant'), query: values.text('query') };
      return (page) => core.client(RoleServiceService).listRoles({ page, ...filter });
    },
    items: ({ roles }) => roles.map(roleRecord),
  }),
  {
    name: 'role show',
    summary: 'show a role with all its permissions',
    arguments: ROLE,
    options: TENANT,
    async run(input) {
      const { role } = await (await roles(input)).getRole(named(input));
      return { value: roleRecord(role!) };
    },
  },
  {
    name: 'role create',
    summary: 'create a role',
    arguments: { '<name>': 'its name: upper-case letters, digits and underscores' },
    options: { ...TENANT, ...DEFINITION, ...REASON },
    async run(input) {
      const { values } = input;
      const { role } = await (
        await roles(input)
      ).createRole({
        ...named(input),
        description: values.text('description') || undefined,
        permissions: listOf(input, 'permission'),
        inherits: listOf(input, 'inherits'),
        reason: values.text('reason'),
      });
      return { value: roleRecord(role!) };
    },
  },
  {
    name: 'role update',
    summary: 'replace the description, the permissions or the inherited roles of a role',
    arguments: ROLE,
    options: { ...TENANT, ...DEFINITION, ...REASON },
    notes: 'The options replace what the role has. --permission "" and --inherits "" remove all.',
    async run(input) {
      const { all } = input.values;
      const role = {
        description: input.values.text('description') || undefined,
        permissions: listOf(input, 'permission'),
        inherits: listOf(input, 'inherits'),
      };
      const updateMask = Object.entries(MASKED).flatMap(([option, path]) => (all[option] === undefined ? [] : [path]));
      if (updateMask.length === 0) throw new CommandFailure('give at least one option to change', EXIT.usage);
      const request = { ...named(input), role, updateMask, reason: input.values.text('reason') };
      const updated = await (await roles(input)).updateRole(request);
      return { value: roleRecord(updated.role!) };
    },
  },
  {
    name: 'role delete',
    summary: 'delete a role that no account holds and no role inherits',
    arguments: ROLE,
    options: { ...TENANT, ...REASON },
    ends: (values) => `deletes role ${values.required('name')}`,
    async run(input) {
      await (await roles(input)).deleteRole({ ...named(input), reason: input.values.text('reason') });
      const { name } = named(input);
      return { value: { name, deleted: true }, text: `deleted ${name}` };
    },
  },
];

/** The paths of the options in an update mask. */
const MASKED = { description: 'description', permission: 'permissions', inherits: 'inherits' } as const;

async function roles({ core }: Input) {
  return (await core()).client(RoleServiceService);
}

function named({ values }: Input) {
  return { name: values.required('name').toUpperCase(), tenantId: values.text('tenant') };
}

/** Several values can be in one text with commas. */
function listOf({ values }: Input, name: string): string[] {
  return values
    .list(name)
    .flatMap((text) => text.split(','))
    .filter((text) => text !== '');
}

function roleRecord({ version: _version, ...role }: Role) {
  return role;
}
