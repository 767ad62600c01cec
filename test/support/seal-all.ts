import { expect } from 'vitest';
import { oldestWaiting } from '../../src/auth/audit/seals/seal-store.ts';
import type { Deployment } from './deployment.ts';
import { eventually } from './eventually.ts';

/** Seals all audit records. The service's own job can be at it, and then seals them a moment later. */
export async function sealAll({ core, database }: Pick<Deployment, 'core' | 'database'>): Promise<void> {
  await eventually(async () => {
    await core.sealRecords();
    expect(await oldestWaiting(database, { kind: 'new' })).toBeUndefined();
  });
}
