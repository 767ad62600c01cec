import { FileServiceService } from '../../../proto/gen/authservice/business/v1/file_service.ts';
import { clientOf } from '../../clients.ts';
import { noBody } from '../../type.ts';
import { authorizeFirst } from '../../http/authorize-first.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { ignoreTypeOfEmptyBody } from '../../http/json-body.ts';
import { privateNoCache } from '../../http/caching.ts';
import { FileParams } from './staged-file.ts';

/** Endpoint: deletes a staged file. */
export const deleteFile: Endpoint = (app, clients, route) => {
  const service = clientOf(clients, FileServiceService);
  app.route({
    ...route,
    schema: {
      summary: 'Delete an unattached file',
      tags: ['Files'],
      params: FileParams,
      response: { 204: noBody('The file is deleted.') },
    },
    onRequest: [privateNoCache, ignoreTypeOfEmptyBody],
    errorHandler: authorizeFirst(({ params }, options) => service.deleteFile({ file: params as FileParams }, options)),
    handler: async (request, reply) => {
      await service.deleteFile({ file: request.params }, callOptions(request));
      return reply.code(204).send();
    },
  });
};
