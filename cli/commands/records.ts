// Messages of the core as records to print: flat, with enums by name and without empty fields.
import type { AuditRecord } from '../../proto/gen/authservice/audit/v1/audit_service.ts';
import {
  MailState,
  UserState,
  type Account,
  type User,
} from '../../proto/gen/authservice/identity/v1/identity_service.ts';
import { SigningKeyChain, SigningKeyState, type SigningKey } from '../../proto/gen/authservice/key/v1/key_service.ts';
import { TenantStatus, type Tenant } from '../../proto/gen/authservice/tenancy/v1/tenancy_service.ts';
import {
  DeliveryStatus,
  DisabledReason,
  type Webhook,
  type WebhookAttempt,
  type WebhookDelivery,
} from '../../proto/gen/authservice/webhook/v1/webhook_service.ts';
import { enumNames } from '../../src/platform/formats/enum-names.ts';

export const TENANT_STATUSES = enumNames(TenantStatus, 'TENANT_STATUS_');
export const USER_STATES = enumNames(UserState, 'USER_STATE_');
const MAIL_STATES = enumNames(MailState, 'MAIL_STATE_');
export const DELIVERY_STATUSES = enumNames(DeliveryStatus, 'DELIVERY_STATUS_');
const DISABLED_REASONS = enumNames(DisabledReason, 'DISABLED_REASON_');
export const KEY_CHAINS = enumNames(SigningKeyChain, 'SIGNING_KEY_CHAIN_');
const KEY_STATES = enumNames(SigningKeyState, 'SIGNING_KEY_STATE_');

/** A user as one flat record. `roles` are the held ones. */
export function userRecord(user: Pick<User, 'heldRoles'> & { account?: Account | undefined } & Partial<User>) {
  const { account, heldRoles, version: _version, state, invitationMail, recoveryMail, ...rest } = user;
  const { id, username, name, email, tenantId, createdAt } = account!;
  const shown = {
    ...(state !== undefined && { state: USER_STATES.nameOf(state) }),
    ...(invitationMail !== undefined && { invitationMail: MAIL_STATES.nameOf(invitationMail) }),
    ...(recoveryMail !== undefined && { recoveryMail: MAIL_STATES.nameOf(recoveryMail) }),
  };
  return { id, username, name, email, tenantId, roles: heldRoles, ...rest, ...shown, createdAt };
}

export function tenantRecord({ status, ...tenant }: Tenant) {
  return { ...tenant, status: TENANT_STATUSES.nameOf(status) };
}

export function signingKeyRecord({ chain, state, ...key }: SigningKey) {
  return { ...key, chain: KEY_CHAINS.nameOf(chain), state: KEY_STATES.nameOf(state) };
}

export function webhookRecord({ version: _version, disabledReason, ...webhook }: Webhook) {
  return { ...webhook, disabledReason: DISABLED_REASONS.nameOf(disabledReason) };
}

export function deliveryRecord({ status, ...delivery }: WebhookDelivery) {
  return { ...delivery, status: DELIVERY_STATUSES.nameOf(status) };
}

/** The headers are JSON in the message. */
export function attemptRecord({ requestHeaders, ...attempt }: WebhookAttempt) {
  return { ...attempt, requestHeaders: JSON.parse(requestHeaders) as unknown };
}

/** The details are JSON in the message. */
export function auditRecord({ details, ...record }: AuditRecord) {
  return { ...record, details: JSON.parse(details) as unknown };
}
