import { ProductServiceService, ProductStatus } from '../../../proto/gen/authservice/business/v1/product_service.ts';
import { examplesOf } from '../example.ts';
import { reference, WHOLE_PAGE } from '../probe-case.ts';
import type { Records } from '../records.ts';

const { PRODUCT_STATUS_INACTIVE: INACTIVE, PRODUCT_STATUS_UNSPECIFIED: UNSPECIFIED } = ProductStatus;
const FIELDS = { status: UNSPECIFIED, images: [] };
const newProduct = (mark: string) => ({ ...FIELDS, sku: `NEW-${mark}`, name: 'Isolation', price: 100 });
const ofProduct = ({ product }: Records) => ({ productId: product });

export const PRODUCTS = examplesOf(ProductServiceService, {
  listProducts: {
    request: () => ({ ...WHOLE_PAGE, sort: '', status: UNSPECIFIED }),
    filters: [({ mark }) => ({ category: mark })],
  },
  getProduct: ofProduct,
  createProduct: {
    request: ({ mark }) => ({ product: newProduct(mark) }),
    more: [reference(({ file }, { mark }) => ({ product: { ...newProduct(mark), images: [file] } }))],
  },
  // PATCH sends the name, PUT the whole product.
  updateProduct: {
    request: (records) => ({ ...ofProduct(records), product: newProduct(records.mark), updateMask: ['name'] }),
    more: [
      reference(({ file }, own) => ({
        ...ofProduct(own),
        product: { ...FIELDS, images: [file] },
        updateMask: ['images'],
      })),
    ],
  },
  setProductStatus: (records) => ({ ...ofProduct(records), status: INACTIVE }),
  deleteProduct: ofProduct,
});
