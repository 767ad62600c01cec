import { globSync } from 'node:fs';
import { loadSync } from '@grpc/proto-loader';
import { Credential, Permission, Rule } from '../../../proto/gen/authservice/access/v1/access.ts';
import type { Service } from '../service.ts';
import { createMessage } from '../message.ts';

/** Access rules by full method path. */
export type AccessRules = ReadonlyMap<string, Rule>;

const PUBLIC = createMessage(Rule, { credential: Credential.CREDENTIAL_IGNORED });

/**
 * Rules for the standard services, whose protos cannot carry the option. Probes and tools have no credential. A proxy
 * passes on the credential of the request that it asks about.
 */
const STANDARD: readonly (readonly [string, Rule])[] = [
  ['/grpc.health.v1.Health/Check', PUBLIC],
  ['/grpc.health.v1.Health/Watch', PUBLIC],
  ['/grpc.health.v1.Health/List', PUBLIC],
  ['/grpc.reflection.v1.ServerReflection/ServerReflectionInfo', PUBLIC],
  ['/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo', PUBLIC],
  ['/envoy.service.auth.v3.Authorization/Check', { ...PUBLIC, trustedGateway: true }],
];

/**
 * Reads the rule of every method from the option `authservice.access.v1.rule` of its declaration.
 * @param protoRoots directories that hold .proto files and that their imports are relative to
 */
export function loadAccessRules(protoRoots: readonly string[]): AccessRules {
  const files = protoRoots.flatMap((root) => globSync('**/*.proto', { cwd: root }));
  const definitions = loadSync(files, { includeDirs: [...protoRoots], enums: String, keepCase: true });
  const rules = new Map<string, Rule>(STANDARD);
  for (const definition of Object.values(definitions)) {
    if ('format' in definition) continue; // a message or an enum
    for (const method of Object.values(definition)) {
      // Custom options are in the object but not in proto-loader's type of it.
      const rule = (method.options as unknown as Record<string, unknown>)['(authservice.access.v1.rule)'];
      if (rule !== undefined) rules.set(method.path, toRule(rule as DeclaredRule));
    }
  }
  return rules;
}

/** The option as proto-loader gives it: enums by name, absent fields missing. */
interface DeclaredRule {
  readonly credential?: keyof typeof Credential;
  readonly permission?: keyof typeof Permission;
  readonly refuses_api_keys?: boolean;
  readonly trusted_gateway?: boolean;
}

function toRule({
  credential,
  permission,
  refuses_api_keys: refusesApiKeys,
  trusted_gateway: trustedGateway,
}: DeclaredRule) {
  return createMessage(Rule, {
    ...(credential !== undefined && { credential: Credential[credential] ?? Credential.UNRECOGNIZED }),
    ...(permission !== undefined && { permission: Permission[permission] ?? Permission.UNRECOGNIZED }),
    ...(refusesApiKeys !== undefined && { refusesApiKeys }),
    ...(trustedGateway !== undefined && { trustedGateway }),
  });
}

/** Throws and lists the methods that have no rule or a contradictory one. */
export function assertRules(services: readonly Service[], rules: AccessRules): void {
  const paths = services.flatMap((service) => service.methods.map((method) => method.definition.path));
  const bad = paths.filter((path) => !isRule(rules.get(path)));
  if (bad.length > 0)
    throw new Error(`Missing or invalid access rule (option authservice.access.v1.rule) for ${bad.join(', ')}`);
}

function isRule(rule: Rule | undefined): boolean {
  if (rule === undefined || rule.permission === Permission.UNRECOGNIZED) return false;
  if (rule.credential === Credential.CREDENTIAL_REQUIRED) return true;
  const known = rule.credential === Credential.CREDENTIAL_IGNORED || rule.credential === Credential.CREDENTIAL_OPTIONAL;
  return known && rule.permission === Permission.PERMISSION_UNSPECIFIED && !rule.refusesApiKeys;
}
