// The business services, put together.
import { customerService } from '../business/customers/service.ts';
import { dashboardService } from '../business/dashboard/service.ts';
import { fileCleanUpTargets } from '../business/files/clean-up.ts';
import { fileService } from '../business/files/service.ts';
import { ORDER_IDEMPOTENCY_KEYS_CLEAN_UP } from '../business/orders/idempotency-key-store.ts';
import { orderService } from '../business/orders/service.ts';
import { productService } from '../business/products/service.ts';
import { referenceDataService } from '../business/reference-data/service.ts';
import type { Clock } from '../clock.ts';
import type { Settings } from '../config/settings.ts';
import type { Database } from '../db/types.ts';
import { openObjects } from '../files/open-objects.ts';
import type { CleanUpTarget } from '../jobs/clean-up.ts';
import type { Service } from '../rpc/service.ts';

export interface Business {
  readonly services: readonly Service[];
  readonly cleanUpTargets: readonly CleanUpTarget[];
  close(): void;
}

export interface BusinessOptions {
  readonly settings: Pick<
    Settings,
    | 'app.name'
    | 'app.files.store'
    | 'app.files.max-bytes'
    | 'app.files.open-uploads.per-account'
    | 'app.files.open-uploads.per-tenant'
    | 'app.files.staged-max-bytes'
    | 'app.files.staged-max-count'
  >;
  readonly database: Database;
  readonly clock: Clock;
}

/** Everything that works on a tenant's own records. */
export async function openBusiness({ settings, database, clock }: BusinessOptions): Promise<Business> {
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
