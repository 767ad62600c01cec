// Lists the applications of a bootstrap plan, and checks them as requests are checked.
import type { CreateApplicationRequest } from '../../../proto/gen/authservice/oauth/v1/application_service.ts';
import { newApplication } from '../../auth/oauth/applications/application-fields.ts';
import { hasSecrets, type Application } from '../../auth/oauth/applications/application.ts';
import {
  checkApplication,
  checkClientId,
  type ApplicationRules,
} from '../../auth/oauth/applications/check-application.ts';
import { isSampleSecret } from '../../auth/identity/sample-credentials.ts';
import { compileCheck } from '../../platform/rpc/contract/check.ts';
import { ownDescriptors } from '../../platform/rpc/contract/descriptors.ts';
import { createRequestViolations } from '../../platform/rpc/request-violations.ts';
import { ServiceError, type Violation } from '../../platform/errors.ts';
import { SettingError } from '../../platform/setting-error.ts';
import type { BootstrapPlan } from './plan.ts';
import { ALGORITHMS, TYPES, USERNAME_FORMS, type ApplicationPlan } from './plan-application.ts';

/** An application that must exist, and its place in the plan: `/tenants/0/applications/1`. */
interface PlannedApplication {
  readonly place: string;
  readonly tenantId: string | undefined;
  readonly application: ApplicationPlan;
}

/** Returns all applications of a plan, in the order of the plan. */
export function plannedApplications({ applications = [], tenants = [] }: BootstrapPlan): PlannedApplication[] {
  const listed = (place: string, tenantId: string | undefined, list: readonly ApplicationPlan[]) =>
    list.map((application, index) => ({ place: `${place}/applications/${index}`, tenantId, application }));
  return [
    ...listed('', undefined, applications),
    ...tenants.flatMap(({ id, applications: own = [] }, index) => listed(`/tenants/${index}`, id, own)),
  ];
}

/** Throws SettingError if an application of a plan breaks a rule. */
export function assertApplications(
  plan: BootstrapPlan,
  { rules, refuseSamples }: { readonly rules: ApplicationRules; readonly refuseSamples: boolean },
): void {
  const planned = plannedApplications(plan);
  const clientIds = new Set(planned.map(({ application }) => application.clientId));
  const problems = planned.flatMap(({ place, tenantId, application }) => {
    const { clientSecret, resources = [] } = application;
    const found = [
      ...findViolations(application, tenantId, rules),
      ...resources.flatMap((resource, index) =>
        clientIds.has(resource) ? [{ message: 'must not be a client id', props: ['resources', `${index}`] }] : [],
      ),
    ].map(({ message, props = [] }) => `${place}/${props.join('/')}: ${message}`);
    if (clientSecret === undefined) return found;
    if (application.type !== 'WEB' || application.jwks !== undefined)
      return [...found, `${place}/clientSecret: is only for a WEB application without keys`];
    if (!refuseSamples || !isSampleSecret(clientSecret)) return found;
    return [...found, `${place}/clientSecret: must not be a sample of the documentation`];
  });
  if (problems.length > 0)
    throw new SettingError(
      `The bootstrap file has applications that cannot be used:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    );
}

function findViolations(
  planned: ApplicationPlan,
  tenantId: string | undefined,
  rules: ApplicationRules,
): readonly Violation[] {
  const { message, violations } = check()(requestOf(planned, tenantId));
  if (violations.length > 0) return violations;
  const found = createRequestViolations();
  const request = message as CreateApplicationRequest;
  checkClientId(request.clientId, found);
  checkApplication(newApplication(request, 0, found), rules, found);
  try {
    found.assertNone();
    return [];
  } catch (error) {
    return (error as ServiceError).violations ?? [];
  }
}

/** Returns the application of a valid plan. */
export function plannedApplication({ application, tenantId }: PlannedApplication, now: number): Application {
  const request = check()(requestOf(application, tenantId)).message as CreateApplicationRequest;
  return { ...newApplication(request, now, createRequestViolations()), tenantId };
}

/** Whether an application gets a secret of the plan. */
export const secretOf = ({ application }: PlannedApplication, stored: Application): string | undefined =>
  hasSecrets(stored) ? application.clientSecret : undefined;

let compiled: ReturnType<typeof compileCheck> | undefined;

/** The check of a request that creates an application. It sets the defaults. */
function check() {
  const method = ownDescriptors().methods.find(({ name }) => name === 'CreateApplication')!;
  return (compiled ??= compileCheck(method.input, ownDescriptors()));
}

function requestOf(planned: ApplicationPlan, tenantId: string | undefined): CreateApplicationRequest {
  const { clientId, clientSecret: _clientSecret, type, jwks, idTokenAlgorithm, usernameForm, ...fields } = planned;
  return {
    tenantId,
    clientId,
    type: TYPES.valueOf(type),
    application: {
      ...fields,
      name: fields.name ?? clientId,
      redirectUris: fields.redirectUris ?? [],
      postLogoutRedirectUris: fields.postLogoutRedirectUris ?? [],
      scopes: fields.scopes ?? [],
      resources: fields.resources ?? [],
      ...(jwks && { jwks: JSON.stringify(jwks) }),
      idTokenAlgorithm: ALGORITHMS.valueOf(idTokenAlgorithm),
      usernameForm: USERNAME_FORMS.valueOf(usernameForm),
    },
  };
}
