import { ProductServiceService, ProductStatus } from '../../../proto/gen/authservice/business/v1/product_service.ts';
import { elsewhere, hidden, probes, nothing, own, reference, type RestCases, rpcCases } from '../probe-case.ts';

const NEW_PRODUCT = { sku: 'ISOLATION', name: 'Isolation', price: 1 };
const STATUS = { status: 'INACTIVE' };

export const PRODUCT_ROUTES: RestCases = {
  'GET /products': probes(
    own(() => ({ query: { perPage: '100' } })),
    nothing(({ mark }) => ({ query: { q: mark } })),
    nothing(({ mark }) => ({ query: { category: mark } })),
  ),
  'POST /products': probes(
    elsewhere(({ tenant }) => ({ body: { ...NEW_PRODUCT, tenantId: tenant } })),
    reference(({ file }) => ({ body: { ...NEW_PRODUCT, images: [file] } })),
  ),
  'GET /products/{id}': probes(hidden(({ product }) => ({ path: { id: product } }))),
  'PUT /products/{id}': probes(
    hidden(({ product }) => ({ path: { id: product }, body: NEW_PRODUCT })),
    elsewhere(({ tenant }, { product }) => ({ path: { id: product }, body: { ...NEW_PRODUCT, tenantId: tenant } })),
  ),
  'PATCH /products/{id}': probes(
    hidden(({ product }) => ({ path: { id: product }, body: { name: 'Changed' } })),
    elsewhere(({ tenant }, { product }) => ({ path: { id: product }, body: { tenantId: tenant } })),
    reference(({ file }, { product }) => ({ path: { id: product }, body: { images: [file] } })),
  ),
  'PATCH /products/{id}/status': probes(
    hidden(({ product }) => ({ path: { id: product }, body: STATUS })),
    elsewhere(({ tenant }, { product }) => ({ path: { id: product }, body: { ...STATUS, tenantId: tenant } })),
  ),
  'DELETE /products/{id}': probes(hidden(({ product }) => ({ path: { id: product } }))),
};

const { PRODUCT_STATUS_INACTIVE: INACTIVE, PRODUCT_STATUS_UNSPECIFIED: UNSPECIFIED } = ProductStatus;
const FIELDS = { status: UNSPECIFIED, images: [] };
const ADDED = { ...FIELDS, sku: 'ISOLATION', name: 'Isolation', price: 100 };
const RENAMED = { product: { ...FIELDS, name: 'Changed' }, updateMask: ['name'] };
const ALL = { sort: '', status: UNSPECIFIED };

export const PRODUCT_RPCS = rpcCases(ProductServiceService, {
  listProducts: probes(
    own(() => ({ ...ALL, page: { page: 1, perPage: 100 } })),
    nothing(({ mark }) => ({ ...ALL, query: mark })),
    nothing(({ mark }) => ({ ...ALL, category: mark })),
  ),
  getProduct: probes(hidden(({ product }) => ({ productId: product }))),
  createProduct: probes(
    elsewhere(({ tenant }) => ({ product: ADDED, tenantId: tenant })),
    reference(({ file }) => ({ product: { ...ADDED, images: [file] } })),
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
  deleteProduct: probes(hidden(({ product }) => ({ productId: product }))),
});
