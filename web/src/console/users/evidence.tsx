import type { User } from '../../../../client/src/operations.ts';
import { Export } from '../audit/export.tsx';
import { auditTexts } from '../audit/texts.ts';

/** The audit records of a user as a file. */
export function Evidence({ user: { id, tenantId, username } }: { readonly user: User }) {
  const texts = auditTexts();
  return (
    <div class="actions">
      <Export
        label={texts.evidence}
        filters={{ account: id, ...(tenantId !== undefined && { tenantId }) }}
        description={[[texts.account, username]]}
      />
    </div>
  );
}
