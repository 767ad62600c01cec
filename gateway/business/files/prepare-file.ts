import Type from 'typebox';
import { documented } from '../../schema/documented.ts';
import { authorizeFirst } from '../../http/authorize-first.ts';
import type { Endpoint } from '../../endpoint.ts';
import { callOptions } from '../../http/call-options.ts';
import { FILE_NAME, MEDIA_TYPE } from '../../schema/text-patterns.ts';
import { SECURITY } from '../../security.ts';
import { apiRootOf } from '../../http/api-root.ts';
import { privateNoCache } from '../../http/private-no-cache.ts';
import { CREATE_FAILURES } from '../../contract/failures.ts';
import { ignored, RECORD_MEMBERS, Text, Time } from '../fields.ts';
import { requireField } from '../../contract/require-field.ts';
import { NAME_MEMBERS, stagedPath } from './staged-file.ts';

const NewFile = Type.Object(
  {
    fileName: Type.Unsafe<string>({
      ...Text(255, 'What it is called; without slashes.'),
      ...documented({ pattern: FILE_NAME }),
    }),
    contentType: Type.Unsafe<string>({
      ...Text(127, 'A media type. One of an image demands an image: PNG, JPEG, WebP or GIF.'),
      ...documented({ pattern: MEDIA_TYPE }),
    }),
    size: Type.Integer({
      minimum: 1,
      description: 'In bytes: exactly as many are to be uploaded.',
      ...documented({ maximum: Number.MAX_SAFE_INTEGER }),
    }),
    ...RECORD_MEMBERS,
    ...ignored('date', 'uuid', 'uploadUrl', 'maxBytes', 'expiresAt'),
  },
  { additionalProperties: false, description: 'A file that is to be uploaded.' },
);

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

/** Announces a file. */
export function prepareFile(): Endpoint {
  return (app, { file: service }, route) =>
    app.route({
      ...route,
      config: { ...route.config, failures: [...CREATE_FAILURES, 'QUOTA_EXCEEDED'] },
      schema: {
        summary: 'Prepare the upload of a file',
        tags: ['Files'],
        security: SECURITY,
        body: NewFile,
        response: { 201: PreparedFile },
      },
      onRequest: privateNoCache,
      errorHandler: authorizeFirst((_request, options) =>
        service.prepareFile({ fileName: '', contentType: '', size: 0 }, options),
      ),
      handler: async (request, reply) => {
        const { fileName, contentType, size, tenantId } = request.body;
        const answer = await service.prepareFile({ fileName, contentType, size, tenantId }, callOptions(request));
        const { date, uuid } = requireField(answer.file, 'file');
        const uploadUrl = stagedPath(apiRootOf(request), { date, uuid });
        reply.code(201).header('location', uploadUrl);
        const expiresAt = requireField(answer.expiresAt, 'time').toISOString();
        return { date, uuid, tenantId: answer.tenantId, uploadUrl, maxBytes: answer.maxBytes, expiresAt };
      },
    });
}
