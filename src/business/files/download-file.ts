import type { DownloadFileRequest } from '../../../proto/gen/authservice/business/v1/file_service.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Statements } from '../../platform/db/types.ts';
import { ServiceError } from '../../platform/errors.ts';
import { loadThenStream } from '../../platform/rpc/service.ts';
import type { Call } from '../../platform/rpc/types.ts';
import type { Download, DownloadPart } from './download.ts';
import { createFindFile } from './existing-file.ts';
import type { FileContent } from './file.ts';

export interface DownloadFileDependencies {
  readonly database: Statements;
  readonly clock: Clock;
  readonly download: Download;
}

/** FileService.DownloadFile. */
export function createDownloadFile({ download, ...dependencies }: DownloadFileDependencies) {
  const findFile = createFindFile(dependencies);
  return loadThenStream(
    async (request: DownloadFileRequest, call: Call): Promise<FileContent> => {
      const { content } = await findFile(request, call);
      if (content === undefined) throw new ServiceError('NOT_FOUND');
      return content;
    },
    ({ range }, call, content): AsyncIterable<DownloadPart> => download(call, content, range),
  );
}
