import { setTimeout as sleep } from 'node:timers/promises';
import { clientCredentials, connect, CoreError, download, readAll, upload } from 'authservice-grpc';
import { FileServiceDefinition, ProductServiceDefinition } from 'authservice-grpc/business/v1';
import { IdentityServiceDefinition } from 'authservice-grpc/identity/v1';
import { Status } from 'nice-grpc';

const { CORE_ADDRESS, CORE_CLIENT_ID, CORE_CLIENT_SECRET, CORE_SECONDS, CORE_CALLERS, CORE_CA } = process.env;
// snippet:start connect
const credential = clientCredentials(CORE_CLIENT_ID!, CORE_CLIENT_SECRET!);
const core = connect(CORE_ADDRESS!, { credential, ...(CORE_CA && { tls: { ca: CORE_CA } }) });
const identity = core.client(IdentityServiceDefinition);
// snippet:end

const refusal = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'accepted',
    (error: unknown) => {
      // snippet:start errors
      if (!(error instanceof CoreError)) throw error;
      return [error.reason ?? Status[error.code], ...error.violations.map(({ field }) => field)].join(' ');
      // snippet:end
    },
  );

async function tour(): Promise<void> {
  const { account } = await identity.getMe({});
  console.log('account:', account!.username);

  // snippet:start pages
  const client = core.client(ProductServiceDefinition);
  const products = readAll(async (page) => {
    const response = await client.listProducts({ page, sort: 'createdAt' });
    return { items: response.products, page: response.page };
  });
  const skus = new Set<string>();
  for await (const { sku } of products) skus.add(sku);
  // snippet:end
  console.log('products:', skus.size);

  // snippet:start files
  const files = core.client(FileServiceDefinition);
  const named = { fileName: 'notes.bin', contentType: 'application/octet-stream' };
  const content = new Uint8Array(300_000).fill(7);
  const file = await upload(files, { ...named, content });
  const { content: stored, bytes } = await download(files, file);
  let received = Buffer.alloc(0);
  for await (const chunk of bytes) received = Buffer.concat([received, chunk]);
  // snippet:end
  console.log('download:', stored.fileName, received.equals(content) ? received.length : 'other bytes');
  await files.deleteFile({ file });
  console.log('empty upload:', await refusal(upload(files, { ...named, content: new Uint8Array() })));
  console.log('deleted file:', await refusal(download(files, file)));

  const hasty = connect(CORE_ADDRESS!, { timeoutMs: 1 });
  console.log('deadline:', await refusal(hasty.client(IdentityServiceDefinition).getMe({})));
  hasty.close();
}

async function machine(): Promise<void> {
  let calls = 0;
  let failures = 0;
  const call = async (): Promise<void> => {
    let end = Infinity;
    do {
      await identity.getMe({}).catch(() => (failures += 1));
      calls += 1;
      // The first call also connects.
      end = Math.min(end, Date.now() + Number(CORE_SECONDS) * 1_000);
      await sleep(1);
    } while (Date.now() < end);
  };
  await Promise.all(Array.from({ length: Number(CORE_CALLERS) }, call));
  console.log(`calls: ${calls}\nfailures: ${failures}`);
}

await { tour, machine }[process.argv[2] as 'tour' | 'machine']();
core.close();
