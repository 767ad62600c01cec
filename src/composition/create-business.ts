import { customerService } from '../business/customers/service.ts';
import { dashboardService } from '../business/dashboard/service.ts';
import { fileCleanUpTargets } from '../business/files/clean-up.ts';
import { fileService } from '../business/files/service.ts';
import { ORDER_IDEMPOTENCY_KEYS_CLEAN_UP } from '../business/orders/idempotency-key-store.ts';
import { orderService } from '../business/orders/service.ts';
import { productService } from '../business/products/service.ts';
import { referenceDataService } from '../business/reference-data/service.ts';
import { openObjects } from '../files/open-objects.ts';
import type { Foundation, Part } from './part.ts';

/** Everything that works on a tenant's own records. */
export async function createBusiness({ settings, database, clock }: Foundation): Promise<Part> {
  const objects = await openObjects(settings['app.files.store'], settings['app.name']);
  return {
    services: [
      productService({ database, clock }),
      orderService({ database, clock }),
      customerService({ database, clock }),
      dashboardService({ database, clock }),
      referenceDataService(),
      fileService({
        database,
        objects,
        clock,
        maxBytes: settings['app.files.max-bytes'],
        openUploads: {
          perAccount: settings['app.files.open-uploads.per-account'],
          perTenant: settings['app.files.open-uploads.per-tenant'],
        },
        quota: {
          maxBytes: settings['app.files.staged-max-bytes'],
          maxCount: settings['app.files.staged-max-count'],
        },
      }),
    ],
    cleanUpTargets: [ORDER_IDEMPOTENCY_KEYS_CLEAN_UP, ...fileCleanUpTargets({ database, objects, clock })],
    close: () => objects.close(),
  };
}
