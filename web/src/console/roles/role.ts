import type { Role } from '../../../../client/src/operations.ts';
import { roleTexts } from './texts.ts';

/** Returns the query of a role: built-in roles and those for every tenant have no tenant. */
export const tenantOf = ({ tenantId }: { readonly tenantId?: string | undefined }) =>
  tenantId === undefined ? {} : { tenantId };

/** Returns whom a role belongs to. */
export function kindOf({ builtIn, tenantId }: Role): string {
  const texts = roleTexts();
  if (builtIn) return texts.builtIn;
  return tenantId === undefined ? texts.ofAll : texts.ofTenant;
}
