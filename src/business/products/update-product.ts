import type {
  SetProductStatusRequest,
  SetProductStatusResponse,
  UpdateProductRequest,
  UpdateProductResponse,
} from '../../../proto/gen/authservice/business/v1/product_service.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/types.ts';
import { loadThenCheckReferences, loadThenHandle } from '../../platform/rpc/service.ts';
import { assertVersion, lockForChange, maskedFields } from '../change-record.ts';
import { checkStagedFiles, replaceImages } from '../files/attachments.ts';
import { assertOwnTenant } from '../tenant.ts';
import { createFindProduct } from './read-products.ts';
import { type Product, type ProductChanges, productChanges, productMessage } from './product.ts';
import type { Precondition } from '../../../proto/gen/authservice/business/v1/record.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { changeCounts } from '../counter-store.ts';
import { PRODUCTS } from './product-store.ts';
import { refuseTakenSku } from './create-product.ts';

interface Dependencies {
  readonly database: Database;
  readonly clock: Clock;
}

/** ProductService.UpdateProduct. */
export function createUpdateProduct(dependencies: Dependencies) {
  const { database, clock } = dependencies;
  return loadThenCheckReferences(
    createFindProduct(dependencies),
    async (request: UpdateProductRequest, call, found, violations): Promise<UpdateProductResponse> => {
      const { product, updateMask = [] } = request;
      const changes = productChanges(maskedFields(product ?? {}, updateMask));
      const { images: files } = changes;
      if (files) await checkStagedFiles(violations, database, found.tenantId, { field: 'images', files }, clock());
      violations.assertNone();
      assertOwnTenant(call, request.tenantId);

      if (updateMask.length > 0) {
        return {
          product: productMessage(await changeProduct(dependencies, call, found, changes, request.precondition)),
        };
      }
      assertVersion(request.precondition, found.version);
      return { product: productMessage(found) };
    },
  );
}

/** ProductService.SetProductStatus. */
export function createSetProductStatus(dependencies: Dependencies) {
  return loadThenHandle(
    createFindProduct(dependencies),
    async (request: SetProductStatusRequest, call, found): Promise<SetProductStatusResponse> => {
      const { status, tenantId, precondition } = request;
      assertOwnTenant(call, tenantId);
      const changed = await changeProduct(dependencies, call, found, productChanges({ status }), precondition);
      return { product: productMessage(changed) };
    },
  );
}

/**
 * Changes some fields of a product and returns the updated product. Throws NOT_FOUND, PRECONDITION_FAILED, CONFLICT,
 * and VALIDATION_ERROR if a file is no longer a staged image.
 */
async function changeProduct(
  { database, clock }: Dependencies,
  call: Call,
  { tenantId, id }: Product,
  { images: files, ...changes }: ProductChanges,
  precondition: Precondition | undefined,
): Promise<Product> {
  return database.transaction(call.deadline, async (tx) => {
    const now = clock();
    const before = await lockForChange(tx, { store: PRODUCTS, tenantId, id, precondition }, now);
    const product = { ...before, ...changes };
    await refuseTakenSku(PRODUCTS.update(tx, product));
    const owner = { kind: 'product', id, tenantId } as const;
    const images = files ? await replaceImages(tx, owner, { field: 'images', files }, now) : before.images;
    if (product.status !== before.status) {
      await changeCounts(tx, tenantId, 'products', [
        { status: before.status, by: -1 },
        { status: product.status, by: 1 },
      ]);
    }
    return { ...product, images };
  });
}
