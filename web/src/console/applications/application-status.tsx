import type { Application } from '../../../../client/src/operations.ts';
import { Status } from '../../ui/status.tsx';
import { applicationTexts } from './texts.ts';

export function ApplicationStatus({ disabled }: Pick<Application, 'disabled'>) {
  const texts = applicationTexts();
  return <Status kind={disabled ? 'bad' : 'good'}>{disabled ? texts.disabled : texts.enabled}</Status>;
}
