// Audit records as a file: CSV, or NDJSON that proves itself.
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  AuditExportFormat,
  type ExportAuditRecordsRequest,
} from '../../proto/gen/authservice/audit/v1/audit_service.ts';
import { contracts } from '../contract/contracts.ts';
import { listParameters, operationOf } from '../contract/derived.ts';
import type { Message } from '../contract/members.ts';
import { compileRequest } from '../contract/request-message.ts';
import { querySchema } from '../contract/request-schemas.ts';
import { requestShape } from '../contract/request-shape.ts';
import type { Endpoint } from '../endpoint.ts';
import { authorizeFirst } from '../http/authorize-first.ts';
import { noStore } from '../http/caching.ts';
import { callOptions } from '../http/call-options.ts';
import { createStreamResponses } from '../http/stream-response.ts';
import { Type } from '../type.ts';
import { EXPORT_TYPES, exportTypeOf } from './export-type.ts';

const FORMATS = {
  'text/csv': { format: AuditExportFormat.AUDIT_EXPORT_FORMAT_CSV, type: 'text/csv; charset=utf-8', ending: 'csv' },
  'application/x-ndjson': {
    format: AuditExportFormat.AUDIT_EXPORT_FORMAT_NDJSON,
    type: 'application/x-ndjson',
    ending: 'ndjson',
  },
} as const;

const FILE = {
  description: 'The file. `GET /audit-records` returns it too, to a request with one of these types in `Accept`.',
  headers: { 'Content-Disposition': Type.String({ description: 'The name of the file.' }) },
  content: Object.fromEntries(EXPORT_TYPES.map((type) => [type, { schema: Type.String() }])),
};

/** Endpoint: exports the audit records of the caller's tenant, or of all. Without a type in Accept, as NDJSON. */
export const auditExport: Endpoint = (app, { audit }, route) => {
  const respond = createStreamResponses(app);
  const method = contracts().methodOf('authservice.audit.v1.AuditService/ExportAuditRecords');
  const shape = requestShape(method);
  const messages = compileRequest(method.input, shape, { settable: [], replaces: false, creates: false, strict: true });
  const formatOf = ({ headers }: FastifyRequest) => FORMATS[exportTypeOf(headers.accept) ?? 'application/x-ndjson'];
  const requestOf = (request: FastifyRequest, message: Message) =>
    ({ ...message, format: formatOf(request).format }) as unknown as ExportAuditRecordsRequest;
  const checkAccess = async (request: FastifyRequest, options = callOptions(request)) => {
    const checked = audit.exportAuditRecords(requestOf(request, messages.toAccessCheck(request)), options);
    for await (const _ of checked) return;
  };
  app.route({
    ...route,
    schema: {
      ...operationOf(method, 'Audit records', 'GET'),
      querystring: querySchema(shape, false),
      response: { 200: FILE },
    },
    onRequest: noStore,
    preValidation: listParameters(shape.others),
    errorHandler: authorizeFirst((invalidRequest, options) => checkAccess(invalidRequest, options)),
    handler: (request: FastifyRequest, reply: FastifyReply) => {
      const { type, ending } = formatOf(request);
      return respond(request, reply, {
        headers: { 'content-type': type, 'content-disposition': `attachment; filename="audit-records.${ending}"` },
        open: (options) => audit.exportAuditRecords(requestOf(request, messages.toMessage(request)), options),
        contentOf: ({ content }) => content,
      });
    },
  });
};
