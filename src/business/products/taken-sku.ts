import { DatabaseError } from '../../platform/db/errors.ts';
import { ServiceError } from '../../platform/errors.ts';

/** Awaits a write of a product's SKU. Throws CONFLICT if another product of the tenant has this SKU. */
export async function refuseTakenSku(write: Promise<void>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.kind !== 'duplicate') throw error;
    throw new ServiceError('CONFLICT', { publicMessage: 'Another product has this SKU' });
  }
}
