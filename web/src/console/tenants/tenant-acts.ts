// What can be done with a tenant: each act with what it asks before, and what it changes.
import { activateTenant, revokeTenantSessions, suspendTenant, type Tenant } from '../../../../client/src/operations.ts';
import type { Topic } from '../../changes.ts';
import { formatNumber } from '../../format.ts';
import type { Act } from '../act-button.tsx';
import { reasonOf } from '../reason.tsx';
import { useService } from '../../ui/frame.tsx';
import { useConsole } from '../context.ts';
import { tenantTexts } from './texts.ts';

const TENANT: readonly Topic[] = ['tenants', 'sessions', 'users'];

/** Returns the acts. `change` is to suspend the tenant, or to activate it. */
export function useTenantActs({ id, name, status }: Tenant): {
  readonly change: Act;
  readonly endSessions: Act | undefined;
} {
  const { session } = useService();
  const { holds } = useConsole();
  const texts = tenantTexts();
  const path = { tenantId: id };
  const endSessions: Act = {
    label: texts.endSessions,
    isDanger: true,
    question: {
      title: texts.endSessionsTitle(name),
      text: texts.endSessionsText,
      action: texts.endSessions,
      hasReason: true,
    },
    changes: ['sessions'],
    run: async (values) => {
      const { data } = await revokeTenantSessions(session, { path, body: reasonOf(values) });
      return texts.sessionsEnded(formatNumber(data.sessions));
    },
  };
  const suspend: Act = {
    label: texts.suspend,
    isDanger: true,
    question: { title: texts.suspendTitle(name), text: texts.suspendText, action: texts.suspendAct, hasReason: true },
    changes: TENANT,
    run: async (values) => {
      await suspendTenant(session, { path, body: reasonOf(values) });
      return texts.suspendedNotice;
    },
  };
  const activate: Act = {
    label: texts.activate,
    question: {
      title: texts.activateTitle(name),
      text: texts.activateText,
      action: texts.activateAct,
      hasReason: true,
    },
    changes: TENANT,
    run: async (values) => {
      await activateTenant(session, { path, body: reasonOf(values) });
      return texts.activatedNotice;
    },
  };
  return {
    change: status === 'ACTIVE' ? suspend : activate,
    endSessions: holds('MANAGE_SESSIONS') ? endSessions : undefined,
  };
}
