import { ProductServiceService, ProductStatus } from '../../../proto/gen/authservice/business/v1/product_service.ts';
import { elsewhere, hidden, probes, nothing, own, reference, rpcCases, WHOLE_PAGE } from '../probe-case.ts';

const { PRODUCT_STATUS_INACTIVE: INACTIVE, PRODUCT_STATUS_UNSPECIFIED: UNSPECIFIED } = ProductStatus;
const FIELDS = { status: UNSPECIFIED, images: [] };
const NEW_PRODUCT = { ...FIELDS, sku: 'ISOLATION', name: 'Isolation', price: 100 };
/** PATCH sends the name, PUT the whole product. */
const RENAMED = { product: { ...NEW_PRODUCT, name: 'Changed' }, updateMask: ['name'] };
const OF_PRODUCT = probes<{ productId: string }>(hidden(({ product }) => ({ productId: product })));
const ALL = { sort: '', status: UNSPECIFIED };

export const PRODUCT_RPCS = rpcCases(ProductServiceService, {
  listProducts: probes(
    own(() => ({ ...ALL, ...WHOLE_PAGE })),
    nothing(({ mark }) => ({ ...ALL, query: mark })),
    nothing(({ mark }) => ({ ...ALL, category: mark })),
  ),
  getProduct: OF_PRODUCT,
  createProduct: probes(
    elsewhere(({ tenant }) => ({ product: NEW_PRODUCT, tenantId: tenant })),
    reference(({ file }) => ({ product: { ...NEW_PRODUCT, images: [file] } })),
  ),
  updateProduct: probes(
    hidden(({ product }) => ({ productId: product, ...RENAMED })),
    elsewhere(({ tenant }, { product }) => ({ productId: product, ...RENAMED, tenantId: tenant })),
    reference(({ file }, { product }) => ({
      productId: product,
      product: { ...FIELDS, images: [file] },
      updateMask: ['images'],
    })),
  ),
  setProductStatus: probes(
    hidden(({ product }) => ({ productId: product, status: INACTIVE })),
    elsewhere(({ tenant }, { product }) => ({ productId: product, status: INACTIVE, tenantId: tenant })),
  ),
  deleteProduct: OF_PRODUCT,
});
