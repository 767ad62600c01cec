// The audit records as an event stream.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type {
  StreamAuditRecordsRequest,
  StreamAuditRecordsResponse,
} from '../../proto/gen/authservice/audit/v1/audit_service.ts';
import { contracts } from '../contract/contracts.ts';
import { listParameters, operationOf } from '../contract/derived.ts';
import { compileEncode } from '../contract/encode.ts';
import type { Message } from '../contract/members.ts';
import { compileRequest } from '../contract/request-message.ts';
import { headersSchema, querySchema } from '../contract/request-schemas.ts';
import { requestShape } from '../contract/request-shape.ts';
import type { Endpoint } from '../endpoint.ts';
import { authorizeFirst } from '../http/authorize-first.ts';
import { noStore } from '../http/caching.ts';
import { callOptions } from '../http/call-options.ts';
import { createEventResponses } from '../http/event-stream.ts';
import { Type } from '../type.ts';

const EVENTS = {
  description:
    'An event `record` for each audit record. Its id is the cursor: send the last one as `Last-Event-ID` to resume. A comment with the ' +
    'current id comes first, and every 15 s.',
  content: {
    'text/event-stream': {
      schema: Type.String({
        examples: [
          'event: record\nid: Tm93aGVyZSBpcyBoZXJl\ndata: {"id":"01934f6e-5a5e-7b1c-8d2e-3f4a5b6c7d8e","event":"login.failed"}\n\n',
        ],
      }),
    },
  },
};

/** Endpoint: streams the audit records of the caller's tenant, or of all. */
export const auditStream: Endpoint = (app, { audit }, route) => {
  const respond = createEventResponses(app);
  const method = contracts().methodOf('authservice.audit.v1.AuditService/StreamAuditRecords');
  const shape = requestShape(method);
  const messages = compileRequest(method.input, shape, { settable: [], replaces: false, creates: false, strict: true });
  const encode = compileEncode(method.output.fields[0]!.message!.fields[0]!.message!);
  const textOf = ({ records, cursor }: StreamAuditRecordsResponse) =>
    records.length === 0
      ? `: heartbeat\nid: ${cursor}\n\n`
      : records.map((one) => eventOf(one.cursor, encode(one.record as unknown as Message, ''))).join('');
  const call = async (request: FastifyRequest, options = callOptions(request)) => {
    const checked = audit.streamAuditRecords(requestOf(messages.toAccessCheck(request)), options);
    for await (const _ of checked) return;
  };
  app.route({
    ...route,
    schema: {
      ...operationOf(method, 'Audit records', 'GET'),
      querystring: querySchema(shape, false),
      headers: headersSchema(shape, {}),
      response: { 200: EVENTS },
    },
    onRequest: noStore,
    preValidation: listParameters(shape.others),
    errorHandler: authorizeFirst((invalidRequest, options) => call(invalidRequest, options)),
    handler: (request: FastifyRequest, reply: FastifyReply) =>
      respond(request, reply, {
        open: (options) => audit.streamAuditRecords(requestOf(messages.toMessage(request)), options),
        textOf,
      }),
  });
};

function requestOf(message: Message): StreamAuditRecordsRequest {
  return message as unknown as StreamAuditRecordsRequest;
}

function eventOf(cursor: string, record: Message): string {
  return `event: record\nid: ${cursor}\ndata: ${JSON.stringify(record)}\n\n`;
}
