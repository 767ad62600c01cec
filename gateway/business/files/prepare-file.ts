import Type from 'typebox';
import type { PrepareFileResponse } from '../../../proto/gen/authservice/business/v1/file_service.ts';
import { unaryCall } from '../../clients.ts';
import { contracts } from '../../contract/contracts.ts';
import { ignored } from '../../contract/message-schemas.ts';
import { failuresOf } from '../../contract/operation.ts';
import { compileRequest } from '../../contract/request-message.ts';
import { bodySchema } from '../../contract/request-schemas.ts';
import { requestShape, responseShape } from '../../contract/request-shape.ts';
import { requireField } from '../../contract/require-field.ts';
import type { Endpoint } from '../../endpoint.ts';
import { apiRootOf } from '../../http/api-root.ts';
import { authorizeFirst } from '../../http/authorize-first.ts';
import { privateNoCache } from '../../http/private-no-cache.ts';
import { callOptions } from '../../http/call-options.ts';
import { SECURITY } from '../../security.ts';
import { Time } from '../fields.ts';
import { NAME_MEMBERS, stagedPath } from './staged-file.ts';

const PreparedFile = Type.Object(
  {
    ...NAME_MEMBERS,
    uploadUrl: Type.String({ description: 'Path to which the bytes go, by PUT.' }),
    maxBytes: Type.Integer({ description: 'As declared.' }),
    expiresAt: Time('When it goes away unless it is attached to a record.'),
  },
  {
    title: 'PrepareFileResponse',
    description: 'Where the file goes.',
    headers: { Location: Type.String({ description: 'Path of the file.' }) },
  },
);

/** Announces a file. The request follows from the contract of the RPC; the response says where the bytes go. */
export function prepareFile(): Endpoint {
  return (app, clients, route) => {
    const rpc = route.config.rpc!;
    const method = contracts().methodOf(rpc);
    const call = unaryCall(clients, rpc);
    const shape = requestShape(method.input);
    const meaning = { settable: [], replaces: false, creates: true, strict: false };
    const { toMessage, toAccessCheck } = compileRequest(method.input, shape, meaning, []);
    const body = bodySchema(method, shape, responseShape(method.output), meaning);
    const shown = ignored(['date', 'uuid', 'uploadUrl', 'maxBytes', 'expiresAt']);
    app.route({
      ...route,
      config: { ...route.config, failures: failuresOf(route.config.rpc!) },
      schema: {
        summary: 'Prepare the upload of a file',
        tags: ['Files'],
        security: SECURITY,
        body: { ...body, properties: { ...(body['properties'] as object), ...shown } },
        response: { 201: PreparedFile },
      },
      onRequest: privateNoCache,
      errorHandler: authorizeFirst((request, options) => call(toAccessCheck(request), options)),
      handler: async (request, reply) => {
        const answer = (await call(toMessage(request), callOptions(request))) as unknown as PrepareFileResponse;
        const { date, uuid } = requireField(answer.file, 'file');
        const uploadUrl = stagedPath(apiRootOf(request), { date, uuid });
        reply.code(201).header('location', uploadUrl);
        const expiresAt = requireField(answer.expiresAt, 'time').toISOString();
        return { date, uuid, tenantId: answer.tenantId, uploadUrl, maxBytes: answer.maxBytes, expiresAt };
      },
    });
  };
}
