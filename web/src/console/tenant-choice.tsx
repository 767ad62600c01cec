// The tenant that a SUPER_ADMIN looks at. It is in the URL, so that a link shows the same.
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { listTenants } from '../../../client/src/operations.ts';
import { readPage } from '../../../client/src/index.ts';
import { useQuery } from '../query.ts';
import { formatNumber } from '../format.ts';
import { Dialog } from '../ui/dialog.tsx';
import { useService } from '../ui/frame.tsx';
import { SearchField } from '../ui/list-view.tsx';
import { Name } from '../ui/name.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { useConsole } from './context.ts';
import { findScreen } from './screens.ts';
import { useTenantName } from './tenant-name.tsx';
import { consoleTexts } from './texts.ts';

/** Shows the tenant. Accounts without a tenant choose one. */
export function TenantChoice() {
  const { account, choosesTenant, tenantId } = useConsole();
  const name = useTenantName(tenantId);
  const texts = consoleTexts();
  if (!choosesTenant) {
    return (
      <p class="tenant">
        <Name>{account.tenantName ?? account.tenantId}</Name>
      </p>
    );
  }
  return (
    <div class="tenant">
      <ChooseTenant>
        <span class="quiet-text">{texts.tenant}</span> <Name>{name ?? texts.allTenants}</Name>
      </ChooseTenant>
    </div>
  );
}

/** Instead of what belongs to a tenant, while none is chosen. */
export function TenantNeeded({ children }: { readonly children: ComponentChildren }) {
  return (
    <div class="state">
      <p>{children}</p>
      <ChooseTenant>{consoleTexts().chooseTenant}</ChooseTenant>
    </div>
  );
}

function ChooseTenant({ children }: { readonly children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {children}
      </button>
      {isOpen && <TenantDialog onClose={() => setOpen(false)} />}
    </>
  );
}

const SHOWN = 20;

function TenantDialog({ onClose }: { readonly onClose: () => void }) {
  const { session } = useService();
  const { tenantId } = useConsole();
  const [path] = useLocation();
  const [text, setText] = useState('');
  const query = useQuery(
    async (signal) =>
      readPage(await listTenants(session, { query: { query: text || undefined, perPage: SHOWN } }, { signal })),
    [text],
  );
  const texts = consoleTexts();
  // A record of another tenant would not be found.
  const screen = findScreen(path)?.path ?? '/';
  return (
    <Dialog title={texts.chooseTenant} onClose={onClose}>
      <SearchField label={texts.searchTenants} value={text} onSearch={setText} />
      <QueryView query={query}>
        {({ items, totalCount }) => (
          <>
            <ul class="tenants">
              {text === '' && (
                <li>
                  <Link href={screen} aria-current={tenantId === undefined} onClick={onClose}>
                    {texts.allTenants}
                  </Link>
                </li>
              )}
              {items.map(({ id, name }) => (
                <li key={id}>
                  <Link
                    href={`${screen}?${new URLSearchParams({ tenantId: id })}`}
                    aria-current={tenantId === id}
                    onClick={onClose}
                  >
                    <Name>{name}</Name> <span class="quiet-text">{id}</span>
                  </Link>
                </li>
              ))}
            </ul>
            {items.length === 0 && <p class="state">{texts.noTenantFound}</p>}
            {totalCount > items.length && <p class="quiet-text">{texts.moreTenants(formatNumber(totalCount))}</p>}
          </>
        )}
      </QueryView>
    </Dialog>
  );
}
