// One record of each kind, for the requests of cli/isolation/examples.
import { applicationFields } from '../../cli/isolation/examples/applications.ts';
import { NEW_WEBHOOK, roleNameOf } from '../../cli/isolation/examples/values.ts';
import type { Records } from '../../cli/isolation/records.ts';
import { CustomerStatus } from '../../proto/gen/authservice/business/v1/customer_service.ts';
import { PaymentMethod } from '../../proto/gen/authservice/business/v1/order_service.ts';
import { ProductStatus } from '../../proto/gen/authservice/business/v1/product_service.ts';
import { ApplicationType } from '../../proto/gen/authservice/oauth/v1/application_service.ts';
import { newId } from '../../src/platform/db/ids.ts';
import { authorizationRequest, grantTo } from './grants.ts';
import { seedPasskey } from './passkeys.ts';
import { IS_SHOP_SERVED } from './shop-served.ts';
import type { World } from './world.ts';

/** Ids under which there is nothing. */
export function missingRecords(): Records {
  const mark = newId();
  return {
    tenant: `missing-${mark.slice(0, 8)}`,
    administrator: newId(),
    token: 'missing',
    user: newId(),
    session: newId(),
    auditRecord: newId(),
    passkey: newId(),
    serviceAccount: newId(),
    clientId: `client-${newId()}`,
    secret: newId(),
    clientSecret: 'missing',
    key: newId(),
    role: roleNameOf(mark),
    webhook: newId(),
    application: newId(),
    applicationSecret: newId(),
    authorizationRequest: 'x'.repeat(43),
    deviceUserCode: 'BCDF-GHJK',
    grant: newId(),
    delivery: newId(),
    product: newId(),
    customer: newId(),
    order: newId(),
    photographedOrder: newId(),
    file: { date: '2026-01-31', uuid: newId() },
    phone: '+49 30 1234567',
    mark,
  };
}

/** One record of each kind in a tenant. A mark, and a file without content, are new each time. */
export async function existingRecords(world: World, tenantId: string): Promise<Records> {
  const { clients, root } = world;
  const missing = missingRecords();
  const user = await world.actor({ tenantId });
  const administrator = await world.actor({ tenantId, roles: ['ADMIN'] });
  const { serviceAccount, clientSecret } = await clients.clientCredentials.createServiceAccount(
    { tenantId, clientId: missing.clientId, name: 'Client', roles: ['SALES'] },
    root.as,
  );
  const serviceAccountId = serviceAccount!.id;
  await clients.role.createRole({ tenantId, name: missing.role, permissions: [], inherits: [] }, root.as);
  const { webhook } = await clients.webhook.createWebhook({ tenantId, ...NEW_WEBHOOK }, root.as);
  const webhookId = webhook!.id;
  const { records } = await clients.audit.listAuditRecords({ tenantId, events: ['webhook.created'] }, root.as);
  const { delivery } = await clients.webhook.testWebhook({ webhookId }, root.as);
  const created = await clients.application.createApplication(
    {
      tenantId,
      type: ApplicationType.APPLICATION_TYPE_WEB,
      application: { ...applicationFields('Application'), deviceGrant: true },
    },
    root.as,
  );
  const application = created.application!;
  const { secrets } = await clients.application.listApplicationSecrets({ applicationId: application.id }, root.as);
  const { key } = await clients.apiKey.issueApiKey({ serviceAccountId, label: 'Key' }, root.as);
  const device = await clients.authorization.authorizeDevice(
    { clientId: application.clientId, clientSecret: created.clientSecret! },
    {},
  );
  return {
    ...missing,
    tenant: tenantId,
    administrator: administrator.account.id,
    token: administrator.session.accessToken,
    user: user.account.id,
    session: user.session.id,
    auditRecord: records[0]!.id,
    passkey: (await seedPasskey(world.deployment.database, user.account)).id,
    serviceAccount: serviceAccountId,
    clientSecret,
    secret: serviceAccount!.secrets[0]!.id,
    key: key!.keyId,
    webhook: webhookId,
    application: application.id,
    applicationSecret: secrets[0]!.id,
    authorizationRequest: await authorizationRequest(clients, application),
    deviceUserCode: device.userCode,
    grant: (await grantTo(clients, administrator.as, { ...application, clientSecret: created.clientSecret! })).id,
    delivery: delivery!.id,
    mark: newId(),
    ...(IS_SHOP_SERVED && (await shopRecords(world, administrator.as, missing.mark))),
  };
}

async function shopRecords(
  { clients }: World,
  as: World['root']['as'],
  mark: string,
): Promise<Pick<Records, 'product' | 'customer' | 'order' | 'photographedOrder' | 'file'>> {
  const fields = {
    sku: mark,
    name: 'Product',
    price: 100,
    stock: 1_000_000,
    status: ProductStatus.PRODUCT_STATUS_UNSPECIFIED,
    images: [],
  };
  const product = (await clients.product.createProduct({ product: fields }, as)).product!.id;
  const customer = (
    await clients.customer.createCustomer(
      { customer: { name: 'Customer', status: CustomerStatus.CUSTOMER_STATUS_UNSPECIFIED } },
      as,
    )
  ).customer!.id;
  const order = {
    customerId: customer,
    items: [{ productId: product, quantity: 1 }],
    paymentMethod: PaymentMethod.PAYMENT_METHOD_UNSPECIFIED,
  };
  const created = (await clients.order.createOrder({ order }, as)).order!.id;
  const { file } = await clients.file.prepareFile({ fileName: 'a', contentType: 'image/png', size: 10 }, as);
  return { product, customer, order: created, photographedOrder: created, file: file! };
}
