import { Credential, Permission, Rule } from '../../../../proto/gen/authservice/access/v1/access.ts';
import { ownDescriptors, readDescriptors } from '../contract/descriptors.ts';
import { createMessage } from '../message.ts';
import type { Service } from '../service.ts';
import { isOwnPermission } from '../../formats/names.ts';

/** Access rules by full method path. */
export type AccessRules = ReadonlyMap<string, Rule>;

const PUBLIC = createMessage(Rule, { credential: Credential.CREDENTIAL_IGNORED });

/**
 * Rules for the standard services, whose protos cannot carry the option. Probes and tools have no credential. A proxy
 * passes on the credential of the request that it asks about.
 */
export const STANDARD_RULES: AccessRules = new Map([
  ['/grpc.health.v1.Health/Check', PUBLIC],
  ['/grpc.health.v1.Health/Watch', PUBLIC],
  ['/grpc.health.v1.Health/List', PUBLIC],
  ['/grpc.reflection.v1.ServerReflection/ServerReflectionInfo', PUBLIC],
  ['/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo', PUBLIC],
  ['/envoy.service.auth.v3.Authorization/Check', { ...PUBLIC, trustedGateway: true }],
]);

/**
 * Reads the rule of every method from the option `authservice.access.v1.rule` of its declaration: of the core's own
 * protos, or of the protos in a google.protobuf.FileDescriptorSet.
 */
export function readAccessRules(file?: URL): AccessRules {
  const { methods, optionOf } = file ? readDescriptors(file) : ownDescriptors();
  const rules = new Map(STANDARD_RULES);
  for (const method of methods) {
    const declared = optionOf(method, 'authservice.access.v1.rule');
    if (declared !== undefined) rules.set(`/${method.parent.typeName}/${method.name}`, toRule(declared));
  }
  return rules;
}

/** Returns a rule without the members that the descriptors add to messages. */
function toRule(rule: Rule): Rule {
  const { credential, permission, refusesApiKeys, trustedGateway, ownPermission, orResourceServer, fresh } = rule;
  const { refusesApplications, orPermission } = rule;
  return {
    credential,
    permission,
    refusesApiKeys,
    trustedGateway,
    ownPermission,
    orResourceServer,
    fresh,
    refusesApplications,
    orPermission,
  };
}

/** Throws and lists the methods that have no rule or a contradictory one. */
export function assertRules(services: readonly Service<never>[], rules: AccessRules): void {
  const paths = services.flatMap((service) => service.methods.map((method) => method.definition.path));
  const bad = paths.filter((path) => !isRule(rules.get(path)));
  if (bad.length > 0)
    throw new Error(`Missing or invalid access rule (option authservice.access.v1.rule) for ${bad.join(', ')}`);
}

const PERMISSIONS: ReadonlySet<Permission> = new Set(
  Object.values(Permission).filter((permission) => permission !== Permission.UNRECOGNIZED),
);

function isRule(rule: Rule | undefined): boolean {
  if (rule === undefined || !PERMISSIONS.has(rule.permission)) return false;
  if (!PERMISSIONS.has(rule.orPermission)) return false;
  const hasAlternative = rule.orResourceServer || rule.orPermission !== Permission.PERMISSION_UNSPECIFIED;
  if (hasAlternative && rule.permission === Permission.PERMISSION_UNSPECIFIED) return false;
  if (rule.fresh && !rule.refusesApiKeys) return false;
  if (rule.ownPermission !== '' && !isOwnPermission(rule.ownPermission)) return false;
  if (rule.credential === Credential.CREDENTIAL_REQUIRED) return true;
  const known = rule.credential === Credential.CREDENTIAL_IGNORED || rule.credential === Credential.CREDENTIAL_OPTIONAL;
  return (
    known &&
    rule.permission === Permission.PERMISSION_UNSPECIFIED &&
    rule.ownPermission === '' &&
    !rule.refusesApiKeys &&
    !rule.refusesApplications
  );
}
