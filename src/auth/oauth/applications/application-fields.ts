// The fields of messages as those of applications.
import type {
  ApplicationFields,
  CreateApplicationRequest,
  UpdateApplicationRequest,
} from '../../../../proto/gen/authservice/oauth/v1/application_service.ts';
import { newId } from '../../../platform/db/ids.ts';
import type { RequestViolations } from '../../../platform/rpc/request-violations.ts';
import { SCOPES } from '../scopes.ts';
import { APPLICATION, applicationType, type Application } from './application.ts';
import { readLogo } from './check-application.ts';

/** A message without fields. */
const NO_FIELDS: ApplicationFields = {
  redirectUris: [],
  postLogoutRedirectUris: [],
  scopes: [],
  resources: [],
  idTokenAlgorithm: 0,
  usernameForm: 0,
};

/** The fields that a request can leave out. Those with another default have it in the proto. */
const DEFAULTS = {
  firstParty: false,
  requirePar: false,
  deviceGrant: false,
  disabled: false,
  backchannelLogoutUri: undefined,
  homeUrl: undefined,
  jwks: undefined,
  requiredPermission: undefined,
  requiredAcr: undefined,
} as const;

type StoredFields = Pick<
  Application,
  Exclude<keyof ApplicationFields, 'disabled' | 'firstParty' | 'requirePar' | 'deviceGrant'> & keyof Application
>;

/** Converts the fields of a message. An empty list of scopes means all. */
function storedFields(fields: ApplicationFields, violations: RequestViolations): StoredFields {
  const { logo, scopes, ...others } = fields;
  return {
    ...(APPLICATION.fromMessage(others) as unknown as StoredFields),
    logo: readLogo(logo, violations),
    scopes: SCOPES.filter((scope) => scopes.length === 0 || scopes.includes(scope)),
  };
}

/** Returns a new application with the values of a request, which has the defaults of the proto. */
export function newApplication(
  request: CreateApplicationRequest,
  now: number,
  violations: RequestViolations,
): Omit<Application, 'tenantId'> {
  const id = newId();
  return {
    id,
    clientId: request.clientId ?? id,
    ...DEFAULTS,
    type: applicationType(request.type),
    ...storedFields(request.application ?? NO_FIELDS, violations),
    createdAt: now,
    updatedAt: now,
    version: 1,
  };
}

/** Returns the fields that the mask names. */
export function maskedChanges(
  { application = NO_FIELDS, updateMask = [] }: UpdateApplicationRequest,
  violations: RequestViolations,
): Partial<Application> {
  const all: Partial<Application> = { ...DEFAULTS, ...storedFields(application, violations) };
  const names = updateMask.map((path) => path.replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase()));
  return Object.fromEntries(names.map((name) => [name, all[name as keyof Application]]));
}

export function isChanged(before: Application, after: Application, name: keyof Application): boolean {
  return JSON.stringify(before[name]) !== JSON.stringify(after[name]);
}
