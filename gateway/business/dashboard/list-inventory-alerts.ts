import Type from 'typebox';
import {
  stockSeverityToJSON,
  type InventoryAlert,
} from '../../../proto/gen/authservice/business/v1/dashboard_service.ts';
import { coreFirst } from '../../core-first.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { PAGE_HEADERS, PAGE_PARAMETERS, pageRequest, writePage } from '../../paging.ts';
import { SECURITY } from '../../security.ts';
import { revalidated } from '../cache-control.ts';
import { LIST_FAILURES } from '../failures.ts';

const SEVERITY_NAMES = ['LOW', 'OUT'] as const;
type SeverityName = (typeof SEVERITY_NAMES)[number];
const SEVERITY_PREFIX = 'STOCK_SEVERITY_';

const InventoryAlerts = Type.Array(
  Type.Object(
    {
      tenantId: Type.String(),
      productId: Type.String(),
      sku: Type.String({ description: 'Stock keeping unit.' }),
      name: Type.String(),
      stock: Type.Integer({ description: 'Pieces at hand.' }),
      reorderLevel: Type.Integer({ description: 'The stock is low when it is not above this.' }),
      severity: Type.Enum([...SEVERITY_NAMES], { description: 'OUT where nothing is left.' }),
    },
    { title: 'InventoryAlert' },
  ),
  { description: 'Products whose stock is low, the lowest first; ARCHIVED ones are left out.', headers: PAGE_HEADERS },
);

/** Lists products whose stock is low. */
export function listInventoryAlerts(): Endpoint {
  return (app, { dashboard: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: LIST_FAILURES },
      schema: {
        summary: 'List products whose stock is low',
        tags: ['Dashboard'],
        security: SECURITY,
        querystring: Type.Object(PAGE_PARAMETERS, { additionalProperties: false }),
        response: { 200: InventoryAlerts },
      },
      onRequest: revalidated,
      errorHandler: coreFirst((_request, options) => service.listInventoryAlerts({}, options)),
      handler: async (request, reply) => {
        const { alerts, page } = await service.listInventoryAlerts(
          { page: pageRequest(request.query) },
          callOptions(request),
        );
        writePage(request, reply, page);
        return alerts.map(alertBody);
      },
    });
}

function alertBody({ severity, ...alert }: InventoryAlert) {
  return { ...alert, severity: stockSeverityToJSON(severity).slice(SEVERITY_PREFIX.length) as SeverityName };
}
