import type * as proto from '../../../proto/gen/authservice/business/v1/product_service.ts';
import { loadThenCheckReferences } from '../../platform/rpc/service.ts';
import type { Call } from '../../platform/rpc/types.ts';
import { changeCounts } from '../counter-store.ts';
import { attachFiles, checkStagedFiles } from '../files/attachments.ts';
import type { Dependencies } from '../dependencies.ts';
import { newRecord } from '../record-store.ts';
import { assertOwnTenant, tenantOf } from '../../platform/rpc/tenant.ts';
import { type Product, productFields, productMessage } from './product.ts';
import { PRODUCTS } from './product-store.ts';
import { DatabaseError } from '../../platform/db/errors.ts';
import { ServiceError } from '../../platform/errors.ts';

/** ProductService.CreateProduct. */
export function createProductCreation({ database, clock }: Dependencies) {
  const findTenant = async (_request: proto.CreateProductRequest, call: Call) => tenantOf(call);
  return loadThenCheckReferences(
    findTenant,
    async (request, call, tenantId, violations): Promise<proto.CreateProductResponse> => {
      const now = clock();
      const { images: files, ...fields } = productFields(request.product!);
      await checkStagedFiles(violations, database, tenantId, { field: 'images', files }, now);
      violations.assertNone();
      assertOwnTenant(call, request.tenantId);

      const created = { ...fields, ...newRecord(tenantId, now) };
      const product = await database.transaction(call.deadline, async (tx): Promise<Product> => {
        await refuseTakenSku(PRODUCTS.insert(tx, created));
        const owner = { kind: 'product', id: created.id, tenantId } as const;
        const images = await attachFiles(tx, owner, { field: 'images', files }, now);
        await changeCounts(tx, tenantId, 'products', [{ status: created.status, by: 1 }]);
        return { ...created, images };
      });
      return { product: productMessage(product) };
    },
  );
}

/** Awaits a write of a product's SKU. Throws CONFLICT if another product of the tenant has this SKU. */
export async function refuseTakenSku(write: Promise<void>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.kind !== 'duplicate') throw error;
    throw new ServiceError('CONFLICT', { publicMessage: 'Another product has this SKU' });
  }
}
