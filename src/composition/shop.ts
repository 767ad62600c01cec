import { customerService } from '../business/customers/service.ts';
import { dashboardService } from '../business/dashboard/service.ts';
import { eraseFiles, fileCleanupTargets } from '../business/files/cleanup.ts';
import { fileService } from '../business/files/service.ts';
import { ORDER_IDEMPOTENCY_KEYS_CLEANUP } from '../business/orders/idempotency-key-store.ts';
import { orderService } from '../business/orders/service.ts';
import { productService } from '../business/products/service.ts';
import { referenceDataService } from '../business/reference-data/service.ts';
import { createObjectStore } from '../platform/files/create-object-store.ts';
import type { Foundation, Part } from './foundation.ts';
import type { BuiltInModule } from './module.ts';
import { SHOP_GRANTS } from './shop-grants.ts';

/** The flower shop: products, orders, customers, dashboard, reference data and files. */
export const SHOP: BuiltInModule = {
  name: 'shop',
  isEnabled: (settings) => settings['app.business.enabled'],
  grants: SHOP_GRANTS,
  create: createShop,
  async createDemo(tenantIds, foundation) {
    // Loaded here because it is needed only for the demo.
    const { createDemoBusiness } = await import('./bootstrap/demo-business.ts');
    await createDemoBusiness(tenantIds, foundation);
  },
  eraseTenant: eraseFiles,
};

async function createShop(foundation: Foundation): Promise<Part> {
  const { settings, database, clock } = foundation;
  const objects = await createObjectStore(settings['app.files.store'], settings['app.name']);
  return {
    services: [
      productService({ database, clock }),
      orderService({ database, clock }),
      customerService({ database, clock }),
      dashboardService({ database, clock }),
      referenceDataService(),
      fileService({
        database,
        clock,
        objects,
        maxBytes: settings['app.files.max-bytes'],
        openUploads: {
          perAccount: settings['app.files.open-uploads.per-account'],
          perTenant: settings['app.files.open-uploads.per-tenant'],
        },
        openDownloads: {
          perAccount: settings['app.files.open-downloads.per-account'],
          perTenant: settings['app.files.open-downloads.per-tenant'],
        },
        quota: {
          maxBytes: settings['app.files.staged-max-bytes'],
          maxCount: settings['app.files.staged-max-count'],
        },
      }),
    ],
    cleanupTargets: [ORDER_IDEMPOTENCY_KEYS_CLEANUP, ...fileCleanupTargets({ database, clock, objects })],
    close: () => objects.close(),
  };
}
