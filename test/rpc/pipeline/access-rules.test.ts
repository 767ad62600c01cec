// The access rules that the protos declare, and invalid rules that stop the start.
import { describe, expect, it } from 'vitest';
import { Credential, Permission, Rule } from '../../../proto/gen/authservice/access/v1/access.ts';
import { HealthService } from '../../../proto/gen/grpc/health/v1/health.ts';
import type { Principal } from '../../../src/auth/access/principal.ts';
import { readAccessRules, STANDARD_RULES } from '../../../src/platform/rpc/pipeline/access-rules.ts';
import { localClient } from '../../../src/platform/rpc/local/client.ts';
import { implement } from '../../../src/platform/rpc/service.ts';
import { UnruledServiceService as Unruled } from '../../proto/gen/kittest/v1/echo.ts';
import { Echo, echoHost, GOOD, RULES } from './echo-host.ts';
import { refusal } from '../../support/rpc-outcomes.ts';
import { createMessage } from '../../../src/platform/rpc/message.ts';

describe('access rules', () => {
  it('are read from the declarations', () => {
    expect(RULES.get(Echo.unary.path)?.credential).toBe(Credential.CREDENTIAL_REQUIRED);
    expect(RULES.get(Echo.bidi.path)?.credential).toBe(Credential.CREDENTIAL_OPTIONAL);
    expect(RULES.get(Echo.open.path)?.credential).toBe(Credential.CREDENTIAL_IGNORED);
    expect(RULES.has(Unruled.forgotten.path)).toBe(false);
    expect(readAccessRules().get(HealthService.check.path)?.credential).toBe(Credential.CREDENTIAL_IGNORED);
  });

  it('exist for the standard services, which cannot declare any', () => {
    const PUBLIC = { credential: Credential.CREDENTIAL_IGNORED, permission: Permission.PERMISSION_UNSPECIFIED };
    const rules = Object.fromEntries([...STANDARD_RULES].map(([path, { trustedGateway }]) => [path, trustedGateway]));
    expect(rules).toEqual({
      '/grpc.health.v1.Health/Check': false,
      '/grpc.health.v1.Health/Watch': false,
      '/grpc.health.v1.Health/List': false,
      '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo': false,
      '/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo': false,
      '/envoy.service.auth.v3.Authorization/Check': true,
    });
    for (const rule of STANDARD_RULES.values()) expect(rule).toMatchObject({ ...PUBLIC, refusesApiKeys: false });
  });

  it('are read with every part of the declaration', () => {
    const rule = readAccessRules().get('/authservice.apikey.v1.ApiKeyService/IssueApiKey');
    expect(rule).toEqual({
      credential: Credential.CREDENTIAL_REQUIRED,
      permission: Permission.PERMISSION_MANAGE_API_KEYS,
      refusesApiKeys: true,
      trustedGateway: false,
      ownPermission: '',
      orResourceServer: false,
      fresh: true,
      refusesApplications: false,
      orPermission: Permission.PERMISSION_UNSPECIFIED,
    });
  });

  it.each([
    { credential: Credential.CREDENTIAL_REQUIRED },
    { credential: Credential.CREDENTIAL_REQUIRED, refusesApiKeys: true },
    { credential: Credential.CREDENTIAL_REQUIRED, refusesApiKeys: true, fresh: true },
    { credential: Credential.CREDENTIAL_REQUIRED, ownPermission: 'invoices:read' },
    { credential: Credential.CREDENTIAL_REQUIRED, permission: Permission.PERMISSION_USE_FILES, trustedGateway: true },
    { credential: Credential.CREDENTIAL_REQUIRED, permission: Permission.PERMISSION_USE_FILES, orResourceServer: true },
    {
      credential: Credential.CREDENTIAL_REQUIRED,
      permission: Permission.PERMISSION_USE_FILES,
      orPermission: Permission.PERMISSION_READ_USERS,
    },
    { credential: Credential.CREDENTIAL_OPTIONAL },
    { credential: Credential.CREDENTIAL_IGNORED, trustedGateway: true },
  ])('are consistent: %j', (fields) => {
    const services = [implement(Unruled, { forgotten: async () => ({}) })];
    const rules = new Map([[Unruled.forgotten.path, createMessage(Rule, fields)]]);
    expect(() => echoHost({ services, rules })).not.toThrow();
  });

  it('stop the start if a method has no access rule', () => {
    const services = [implement(Unruled, { forgotten: async () => ({}) })];
    expect(() => echoHost({ services })).toThrow(/access rule .* \/kittest\.v1\.UnruledService\/Forgotten/);
  });

  it.each([
    { credential: Credential.CREDENTIAL_UNSPECIFIED, permission: Permission.PERMISSION_UNSPECIFIED },
    { credential: Credential.CREDENTIAL_UNSPECIFIED, permission: Permission.PERMISSION_USE_FILES },
    { credential: Credential.UNRECOGNIZED },
    { credential: Credential.CREDENTIAL_IGNORED, permission: Permission.PERMISSION_USE_FILES },
    { credential: Credential.CREDENTIAL_IGNORED, refusesApiKeys: true },
    { credential: Credential.CREDENTIAL_REQUIRED, fresh: true },
    { credential: Credential.CREDENTIAL_OPTIONAL, fresh: true },
    { credential: Credential.CREDENTIAL_OPTIONAL, permission: Permission.PERMISSION_USE_FILES },
    { credential: Credential.CREDENTIAL_REQUIRED, permission: Permission.UNRECOGNIZED },
    { credential: Credential.CREDENTIAL_OPTIONAL, refusesApiKeys: true },
    { credential: Credential.CREDENTIAL_REQUIRED, orResourceServer: true },
    { credential: Credential.CREDENTIAL_OPTIONAL, ownPermission: 'invoices:read' },
    { credential: Credential.CREDENTIAL_REQUIRED, ownPermission: 'INVOICES:READ' },
  ])('stop the start if a rule contradicts itself: %j', (fields) => {
    const rule = createMessage(Rule, fields);
    const services = [implement(Unruled, { forgotten: async () => ({}) })];
    expect(() => echoHost({ services, rules: new Map([[Unruled.forgotten.path, rule]]) })).toThrow(
      'Missing or invalid access rule (option authservice.access.v1.rule) for /kittest.v1.UnruledService/Forgotten',
    );
  });

  it('require the credential, then the permission', async () => {
    const rule = createMessage(Rule, { credential: Credential.CREDENTIAL_REQUIRED, permission: 1 as Permission });
    const principal = (permissions: Permission[]) => ({ permissions: new Set(permissions) }) as unknown as Principal;
    const call = (permissions: Permission[] | undefined) => {
      const { host } = echoHost({
        rules: new Map([...RULES, [Echo.open.path, rule]]),
        authenticate: async () => permissions && principal(permissions),
      });
      return localClient(host, Echo).open({ text: '' }, GOOD);
    };
    expect((await refusal(call(undefined))).reason).toBe('TOKEN_MISSING');
    expect((await refusal(call([]))).reason).toBe('PERMISSION_DENIED');
    expect(await call([1])).toMatchObject({ known: true });
  });

  it('require an own permission beside the built-in one', async () => {
    const rule = createMessage(Rule, {
      credential: Credential.CREDENTIAL_REQUIRED,
      permission: 1 as Permission,
      ownPermission: 'invoices:read',
    });
    const call = (permissions: readonly (Permission | string)[]) => {
      const { host } = echoHost({
        rules: new Map([...RULES, [Echo.open.path, rule]]),
        authenticate: async () => ({ permissions: new Set(permissions) }) as unknown as Principal,
      });
      return localClient(host, Echo).open({ text: '' }, GOOD);
    };
    for (const permissions of [[], [1], ['invoices:read'], [1, 'invoices:write']] as const)
      expect((await refusal(call(permissions))).reason).toBe('PERMISSION_DENIED');
    expect(await call([1, 'invoices:read'])).toMatchObject({ known: true });
  });
});
