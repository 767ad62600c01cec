import type { ServiceAccount } from '../../../../client/src/operations.ts';
import { Status } from '../../ui/status.tsx';
import { serviceAccountTexts } from './texts.ts';

export function ServiceAccountStatus({ disabled }: Pick<ServiceAccount, 'disabled'>) {
  const texts = serviceAccountTexts();
  return <Status kind={disabled ? 'bad' : 'good'}>{disabled ? texts.disabled : texts.enabled}</Status>;
}
