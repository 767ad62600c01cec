import type { Tenant } from '../../../../client/src/operations.ts';
import { Status } from '../../ui/status.tsx';
import { tenantTexts } from './texts.ts';

export function TenantStatus({ status }: Pick<Tenant, 'status'>) {
  const texts = tenantTexts();
  const isActive = status === 'ACTIVE';
  return <Status kind={isActive ? 'good' : 'bad'}>{isActive ? texts.active : texts.suspended}</Status>;
}
