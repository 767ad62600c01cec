// Members of the shop's responses whose JSON differs from the derived form.
import type { OrderStatusCount } from '../../proto/gen/authservice/business/v1/dashboard_service.ts';
import type { Image } from '../../proto/gen/authservice/business/v1/record.ts';
import type { DescField } from '../../src/platform/rpc/contract/descriptors.ts';
import { namesOf } from '../../src/platform/rpc/contract/values.ts';
import type { SpecialMember, SpecialMembers } from '../contract/special-members.ts';
import { Type } from '../type.ts';

/** The supported media types of images. */
export const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;

/** Schema of an image in a response. */
const ImageSchema = Type.Object(
  {
    index: Type.Integer({ minimum: 0, description: 'Position in the list, from 0.' }),
    url: Type.String({ description: 'Path of the image.' }),
    contentType: Type.Enum([...IMAGE_TYPES]),
    size: Type.Integer({ description: 'Size in bytes.' }),
  },
  { title: 'Image' },
);

/** Parses an index in a path. Returns -1, which is never the index of an image, if the text is malformed. */
export function indexOf(text: string): number {
  return /^(?:0|[1-9]\d{0,2})$/.test(text) ? Number(text) : -1;
}

/** Images get an index, and a URL below the path of their record. */
function imagesOf(resource: string, place: string): SpecialMember {
  return {
    schema: (description) => ({ type: 'array', items: ImageSchema, description }),
    encode: (images, { id }, apiRoot) =>
      (images as readonly Image[]).map(({ contentType, size }, index) => ({
        index,
        url: `${apiRoot}/${resource}/${id as string}/${place}/${index}`,
        contentType,
        size,
      })),
  };
}

/** Converts a list of pairs to an object with a member for each status. */
function countsByStatus(field: DescField): SpecialMember {
  const names = namesOf(field.message!.fields.find(({ name }) => name === 'status')!.enum!);
  const properties = [...names.values()].map((name) => [
    name,
    { type: 'integer', minimum: 0, description: 'Number of orders with this status.' },
  ]);
  return {
    schema: (description) => ({
      title: 'OrdersByStatus',
      type: 'object',
      properties: Object.fromEntries(properties) as object,
      required: [...names.values()],
      description,
    }),
    encode: (counts) =>
      Object.fromEntries(
        (counts as readonly OrderStatusCount[]).map(({ status, count }) => [names.get(status)!, count]),
      ),
  };
}

/** A notification has the path of its record instead of the id. */
const RECORD_PATH: SpecialMember = {
  schema: (description) => ({ type: 'string', description }),
  encode: (id, { collection }, apiRoot) => `${apiRoot}/${collection as string}/${id as string}`,
};

const PACKAGE = 'authservice.business.v1';

export const SPECIAL_MEMBERS: SpecialMembers = new Map([
  [`${PACKAGE}.Product.images`, () => imagesOf('products', 'images')],
  [`${PACKAGE}.Order.production_photos`, () => imagesOf('orders', 'production-photos')],
  [`${PACKAGE}.Order.delivery_photos`, () => imagesOf('orders', 'delivery-photos')],
  [`${PACKAGE}.GetDashboardStatsResponse.orders_by_status`, countsByStatus],
  [`${PACKAGE}.Notification.record_id`, () => RECORD_PATH],
]);
