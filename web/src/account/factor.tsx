// What the factors of /account have in common.
import type { Factors } from '../../../client/src/operations.ts';
import { codeOf, PageError } from '../errors.ts';
import { formatDateTime } from '../format.ts';
import { factorListTexts } from './factor-texts.ts';

export interface FactorListProps {
  readonly factors: Factors;
  readonly onChange: () => void;
  /** Shows new recovery codes. */
  readonly onCodes: (codes: readonly string[]) => void;
}

/** Whether a factor is the only one. Then the recovery codes end with it, and a tenant that requires a factor keeps it. */
export function isLast({ totp, passkeys = [] }: Factors): boolean {
  return (totp ? 1 : 0) + passkeys.length === 1;
}

/** Returns the error of a removal: another session may have removed the other factors. */
export function explainRemoval(error: unknown): never {
  throw codeOf(error) === 'conflict' ? new PageError(factorListTexts().lastRequired) : error;
}

/** When a factor was created and last used. */
export function Times({ createdAt, lastUsedAt }: { readonly createdAt: string; readonly lastUsedAt?: string }) {
  const texts = factorListTexts();
  return (
    <>
      {texts.created(formatDateTime(createdAt))} ·{' '}
      {lastUsedAt === undefined ? texts.neverUsed : texts.lastUsed(formatDateTime(lastUsedAt))}
    </>
  );
}
