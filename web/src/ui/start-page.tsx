// The start of a page: the service, and the dialogs that any of its parts can open.
import { render, type JSX } from 'preact';
import { textOf } from '../errors.ts';
import { useQuery } from '../query.ts';
import { connect } from '../service.ts';
import { commonTexts } from '../texts/common.ts';
import { Alert } from './alert.tsx';
import { Confirmations } from './confirm.tsx';
import { ServiceContext } from './frame.tsx';
import { askForFreshSession, FreshSessionDialog } from './fresh-session.tsx';
import { Notices } from './notices.tsx';

/** Shows a page as soon as the service has said what it offers. */
export function startPage(Page: () => JSX.Element): void {
  render(<Connected Page={Page} />, document.getElementById('page')!);
}

function Connected({ Page }: { readonly Page: () => JSX.Element }) {
  const { data: service, error, reload } = useQuery(() => connect(askForFreshSession), []);
  if (service) {
    return (
      <ServiceContext.Provider value={service}>
        <Page />
        <Confirmations />
        <FreshSessionDialog />
        <Notices />
      </ServiceContext.Provider>
    );
  }
  return (
    <main class="narrow">
      {error === undefined ? (
        <p class="loading" role="status">
          {commonTexts().loading}
        </p>
      ) : (
        <>
          <Alert>{textOf(error)}</Alert>
          <button onClick={reload}>{commonTexts().retry}</button>
        </>
      )}
    </main>
  );
}
