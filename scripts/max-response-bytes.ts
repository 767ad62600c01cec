// Computes the maximum response size of each RPC in bytes, from the descriptors and the limits of the response fields.
import { readFileSync } from 'node:fs';
import { createFileRegistry, fromBinary, ScalarType, type DescField, type DescMessage } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { fieldRule } from '../src/platform/rpc/field-rule.ts';
import { Permission } from '../proto/gen/authservice/access/v1/access.ts';
import { MAX_OWN_OF_TENANT } from '../src/auth/access/roles/role-limits.ts';

const DESCRIPTORS = new URL('../proto/gen/descriptors.binpb', import.meta.url);

/** Maximum bytes of a character in UTF-8. */
const UTF8 = 4;
/** Returns the maximum bytes of a text, from the rule of the request field that sets it. */
const textOf = (field: string) => fieldRule(`authservice.${field}`).max * UTF8;

/** Returns the rule of a field of applications. Those with FORMAT_VISIBLE_ASCII have a byte for each character. */
const ofApplication = (field: string) => fieldRule(`authservice.oauth.v1.ApplicationFields.${field}`);

const UUID = 36;
/** Maximum bytes of fields, by the end of the field's name. The last match applies. */
const BYTES_BY_NAME: readonly (readonly [end: RegExp, bytes: number])[] = [
  [/(^|\.|_)(id|by|uuid)$/, UUID],
  [/tenant_id$/, 63],
  [/sha256$/, 32],
  [/currency$/, 3],
  [/(^|\.|_)date$/, 10],
  [/\.chunk$/, 2 ** 20],
  [/(access|refresh)_token$|RefreshCookie\.value$/, 8192],
  [/\.(address|delivery_address)$/, textOf('business.v1.CustomerFields.address')],
  [/\.email$/, textOf('business.v1.CustomerFields.email')],
  [/\.(username|client_id)$/, textOf('identity.v1.CreateUserRequest.username')],
  [/\.name$/, textOf('identity.v1.CreateUserRequest.name')],
  [/\.note$|CustomerNote\.text$/, textOf('business.v1.OrderFields.note')],
  [/Product\.description$/, textOf('business.v1.ProductFields.description')],
  [/Image\.content_type$/, 10],
  [/roles$/, 68],
  [/Role\.inherits$/, 63],
  [/permissions$/, 64],
  [/Role\.description$/, textOf('tenancy.v1.CreateRoleRequest.description')],
  [/client_address$/, 64],
  [/AuditRecord\.details$/, 16_384],
  [/GetJsonWebKeySetResponse\.json$/, 65_536],
  [/Application\.(post_logout_)?redirect_uris$/, ofApplication('redirect_uris').max],
  [/Application\.(backchannel_logout_uri|home_url)$/, ofApplication('home_url').max],
  [/Application\.resources$/, ofApplication('resources').max],
  [/Application\.logo$/, ofApplication('logo').max],
  [/Application\.jwks$/, textOf('oauth.v1.ApplicationFields.jwks')],
  [/oauth\.v1\.\w+\.scopes$/, ofApplication('scopes').max],
];
/** Maximum bytes of other texts. */
const OTHER_BYTES = 255 * UTF8;

const { items: ROLES } = fieldRule('authservice.identity.v1.SetUserRolesRequest.roles');

/** Maximum items of repeated fields, except for pages. */
const ITEMS: Readonly<Record<string, number>> = {
  'authservice.oauth.v1.Application.redirect_uris': ofApplication('redirect_uris').items,
  'authservice.oauth.v1.Application.post_logout_redirect_uris': ofApplication('post_logout_redirect_uris').items,
  'authservice.oauth.v1.Application.resources': ofApplication('resources').items,
  'authservice.oauth.v1.Application.scopes': ofApplication('scopes').items,
  'authservice.oauth.v1.Grant.scopes': ofApplication('scopes').items,
  'authservice.business.v1.Order.items': fieldRule('authservice.business.v1.OrderFields.items').items,
  'authservice.business.v1.Product.images': fieldRule('authservice.business.v1.ProductFields.images').items,
  'authservice.identity.v1.Account.roles': ROLES,
  'authservice.identity.v1.User.held_roles': ROLES,
  'authservice.clientcredentials.v1.ServiceAccount.roles': ROLES,
  'authservice.clientcredentials.v1.ServiceAccount.secrets': 2,
  'authservice.identity.v1.Principal.own_permissions': MAX_OWN_OF_TENANT,
  'authservice.tenancy.v1.Role.permissions': fieldRule('authservice.tenancy.v1.CreateRoleRequest.permissions').items,
  'authservice.tenancy.v1.Role.inherits': fieldRule('authservice.tenancy.v1.CreateRoleRequest.inherits').items,
  'authservice.tenancy.v1.Role.effective_permissions': MAX_OWN_OF_TENANT + Object.keys(Permission).length,
};
/** Maximum items of pages and of other repeated fields. */
const OTHER_ITEMS = 100;

const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(DESCRIPTORS)));

/**
 * Returns the maximum size of a message in bytes. For streams, this is the size of each message. Throws if the message is
 * unknown.
 */
export function maxResponseBytes(messageName: string): number {
  const message = registry.getMessage(messageName);
  if (!message) throw new Error(`no message ${messageName}`);
  return sizeOf(message);
}

function sizeOf(message: DescMessage): number {
  const alone = message.fields.filter(({ oneof }) => !oneof).reduce((sum, field) => sum + sizeOfField(field), 0);
  const choices = message.oneofs.map(({ fields }) => Math.max(...fields.map(sizeOfField)));
  return choices.reduce((sum, size) => sum + size, alone);
}

function sizeOfField(field: DescField): number {
  const name = `${field.parent.typeName}.${field.name}`;
  // At most two bytes for the tag and four for the length.
  const one = 6 + (field.message ? sizeOf(field.message) : sizeOfScalar(field, name));
  return field.fieldKind === 'list' || field.fieldKind === 'map' ? one * (ITEMS[name] ?? OTHER_ITEMS) : one;
}

function sizeOfScalar({ scalar }: DescField, name: string): number {
  if (scalar !== ScalarType.STRING && scalar !== ScalarType.BYTES) return 10;
  return BYTES_BY_NAME.findLast(([end]) => end.test(name))?.[1] ?? OTHER_BYTES;
}
