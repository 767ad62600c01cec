// Examples of applications and their client secrets.
import {
  ApplicationServiceService,
  ApplicationType,
  IdTokenAlgorithm,
  UsernameForm,
  type ApplicationFields,
} from '../../../proto/gen/authservice/oauth/v1/application_service.ts';
import { DeliveryStatus } from '../../../proto/gen/authservice/webhook/v1/webhook_service.ts';
import { examplesOf } from '../example.ts';
import { WHOLE_PAGE } from '../probe-case.ts';
import { emailOf, type Records } from '../records.ts';
import { NEW_APPLICATION } from './values.ts';

const ofApplication = ({ application }: Records) => ({ applicationId: application });

/** The fields of an application with this name. */
export const applicationFields = (name: string): ApplicationFields => ({
  name,
  redirectUris: [...NEW_APPLICATION.redirectUris],
  postLogoutRedirectUris: [],
  scopes: [],
  resources: [],
  idTokenAlgorithm: IdTokenAlgorithm.ID_TOKEN_ALGORITHM_UNSPECIFIED,
  usernameForm: UsernameForm.USERNAME_FORM_UNSPECIFIED,
});

export const APPLICATIONS = examplesOf(ApplicationServiceService, {
  listApplications: () => WHOLE_PAGE,
  createApplication: ({ mark }) => ({
    type: ApplicationType.APPLICATION_TYPE_WEB,
    application: applicationFields(mark),
  }),
  getApplication: ofApplication,
  updateApplication: (records) => ({
    ...ofApplication(records),
    application: applicationFields(records.mark),
    updateMask: ['name'],
  }),
  deleteApplication: ofApplication,
  // Without the scope openid: the claims of an ID token contain times.
  previewApplication: (records) => ({
    ...ofApplication(records),
    username: emailOf(records.mark),
    scopes: ['profile'],
  }),
  listApplicationSecrets: ofApplication,
  listApplicationDeliveries: (records) => ({
    ...ofApplication(records),
    status: DeliveryStatus.DELIVERY_STATUS_UNSPECIFIED,
  }),
  // The delivery of a webhook, which no application has.
  retryApplicationDelivery: (records) => ({ ...ofApplication(records), deliveryId: records.delivery }),
  createApplicationSecret: ofApplication,
  expireApplicationSecret: (records) => ({ ...ofApplication(records), secretId: records.applicationSecret }),
});
