import { type Endpoint, SECURITY } from '../../endpoint.ts';
import { failuresOf } from '../../contract/contracts.ts';
import { privateNoCache } from '../../http/caching.ts';
import { DOWNLOAD_REQUEST_HEADERS, DOWNLOAD_RESPONSES, sendDownload } from './download.ts';
import { FileParams } from './staged-file.ts';

/** Endpoint: sends a staged file. */
export function getFile(): Endpoint {
  return (app, { file: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: failuresOf(route.config.rpc!) },
      schema: {
        summary: 'Get an unattached file',
        tags: ['Files'],
        security: SECURITY,
        params: FileParams,
        headers: DOWNLOAD_REQUEST_HEADERS,
        response: DOWNLOAD_RESPONSES,
      },
      onRequest: privateNoCache,
      handler: (request, reply) =>
        sendDownload(request, reply, (range, options) =>
          service.downloadFile({ file: request.params, range }, options),
        ),
    });
}
