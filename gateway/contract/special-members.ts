// Members that answers show in another way than their messages do.
import type { OrderStatusCount } from '../../proto/gen/authservice/business/v1/dashboard_service.ts';
import type { Image } from '../../proto/gen/authservice/business/v1/record.ts';
import type { DescField } from '../../src/rpc/contract/descriptors.ts';
import { namesOf } from '../../src/rpc/contract/values.ts';
import { imagesBody, ShownImage } from './images.ts';
import type { Message } from './members.ts';
import type { JsonSchema } from './value-schemas.ts';

export interface SpecialMember {
  readonly schema: (description: string) => JsonSchema;
  /** The member of a record as it is shown. `apiRoot` is the path that paths of records begin with. */
  readonly encode: (value: unknown, record: Message, apiRoot: string) => unknown;
}

/** Images get an index and the path of their bytes, below that of their record. */
function imagesOf(resource: string, place: string): SpecialMember {
  return {
    schema: (description) => ({ type: 'array', items: ShownImage, description }),
    encode: (images, { id }, apiRoot) =>
      imagesBody(images as readonly Image[], `${apiRoot}/${resource}/${id as string}/${place}`),
  };
}

/** A list of pairs becomes an object with a member for each status. */
function countsByStatus(field: DescField): SpecialMember {
  const names = namesOf(field.message!.fields.find(({ name }) => name === 'status')!.enum!);
  const properties = [...names.values()].map((name) => [
    name,
    { type: 'integer', minimum: 0, description: 'Orders of this status.' },
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

/** A notification names the path of its record. */
const RECORD_PATH: SpecialMember = {
  schema: (description) => ({ type: 'string', description }),
  encode: (id, { collection }, apiRoot) => `${apiRoot}/${collection as string}/${id as string}`,
};

/** A text that is a JSON object is shown as that object. */
const JSON_OBJECT: SpecialMember = {
  schema: (description) => ({ type: 'object', additionalProperties: true, description }),
  encode: (text) => JSON.parse(text as string) as unknown,
};

const PACKAGE = 'authservice.business.v1';

const SPECIAL_MEMBERS: ReadonlyMap<string, (field: DescField) => SpecialMember> = new Map([
  [`${PACKAGE}.Product.images`, () => imagesOf('products', 'images')],
  [`${PACKAGE}.Order.production_photos`, () => imagesOf('orders', 'production-photos')],
  [`${PACKAGE}.Order.delivery_photos`, () => imagesOf('orders', 'delivery-photos')],
  [`${PACKAGE}.GetDashboardStatsResponse.orders_by_status`, countsByStatus],
  [`${PACKAGE}.Notification.record_id`, () => RECORD_PATH],
  ['authservice.tenancy.v1.AuditRecord.details', () => JSON_OBJECT],
]);

/** The way to show a field, if it is a special one. */
export function specialMember(field: DescField): SpecialMember | undefined {
  return SPECIAL_MEMBERS.get(`${field.parent.typeName}.${field.name}`)?.(field);
}
