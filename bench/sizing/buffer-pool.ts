import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection, type RowDataPacket } from 'mysql2/promise';

/** Changes the buffer pool of a running server, and waits for the end of the change. */
export async function resizeBufferPool(url: string, size: string): Promise<void> {
  const connection = await createConnection({ uri: url });
  try {
    await connection.query('SET GLOBAL innodb_buffer_pool_size = ?', [bytesOf(size)]);
    for (;;) {
      const [[status]] = await connection.query<RowDataPacket[]>("SHOW STATUS LIKE 'Innodb_buffer_pool_resize_status'");
      // Recent versions change the size within the statement, and have no status.
      if (/^(Completed.*)?$/.test(status!['Value'] as string)) return;
      await sleep(500);
    }
  } finally {
    await connection.end();
  }
}

function bytesOf(size: string): number {
  const [, number, unit] = /^(\d+)([MG])$/.exec(size) ?? [];
  if (unit === undefined) throw new Error(`${size} is not a size such as 512M or 4G`);
  return Number(number) * (unit === 'G' ? 2 ** 30 : 2 ** 20);
}
