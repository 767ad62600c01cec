import { Type } from '../../type.ts';
import type { PrepareFileResponse } from '../../../proto/gen/authservice/business/v1/file_service.ts';
import { ignored } from '../../contract/message-schemas.ts';
import { contracts } from '../../contract/contracts.ts';
import { compileRequest } from '../../contract/request-message.ts';
import { bodySchema } from '../../contract/request-schemas.ts';
import { requestShape, responseShape } from '../../contract/request-shape.ts';
import { requireField, unaryCall } from '../../clients.ts';
import type { Endpoint } from '../../endpoint.ts';
import { apiRootOf } from '../../api-path.ts';
import { authorizeFirst } from '../../http/authorize-first.ts';
import { privateNoCache } from '../../http/caching.ts';
import { callOptions } from '../../http/call-options.ts';
import { NAME_MEMBERS, stagedPath } from './staged-file.ts';

const PreparedFile = Type.Object(
  {
    ...NAME_MEMBERS,
    uploadUrl: Type.String({ description: 'Path for the upload by PUT.' }),
    maxBytes: Type.Integer({ description: 'The declared size in bytes.' }),
    expiresAt: Type.String({
      format: 'date-time',
      description: 'When the file is deleted unless it is attached to a record.',
    }),
  },
  {
    title: 'PrepareFileResponse',
    description: 'The prepared file, with the path for its upload.',
    headers: { Location: Type.String({ description: 'Path of the file.' }) },
  },
);

/** Endpoint: declares name, type and size of a file. The response contains the path for the upload. */
export const prepareFile: Endpoint = (app, clients, route) => {
  const rpc = route.config.rpc!;
  const method = contracts().methodOf(rpc);
  const call = unaryCall(clients, rpc);
  const shape = requestShape(method);
  const semantics = { settable: [], replaces: false, creates: true, strict: false };
  const { toMessage, toAccessCheck } = compileRequest(method.input, shape, semantics);
  const body = bodySchema(method, shape, responseShape(method), semantics);
  const readOnly = ignored(['date', 'uuid', 'uploadUrl', 'maxBytes', 'expiresAt']);
  app.route({
    ...route,
    schema: {
      summary: 'Prepare the upload of a file',
      tags: ['Files'],
      body: { ...body, properties: { ...(body['properties'] as object), ...readOnly } },
      response: { 201: PreparedFile },
    },
    onRequest: privateNoCache,
    errorHandler: authorizeFirst((request, options) => call(toAccessCheck(request), options)),
    handler: async (request, reply) => {
      const response = (await call(toMessage(request), callOptions(request))) as unknown as PrepareFileResponse;
      const { date, uuid } = requireField(response.file, 'file');
      const uploadUrl = stagedPath(apiRootOf(request), { date, uuid });
      reply.code(201).header('location', uploadUrl);
      const expiresAt = requireField(response.expiresAt, 'time').toISOString();
      return { date, uuid, tenantId: response.tenantId, uploadUrl, maxBytes: response.maxBytes, expiresAt };
    },
  });
};
