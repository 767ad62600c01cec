import type { ComponentChildren } from 'preact';
import { codeOf, textOf } from '../errors.ts';
import type { Query } from '../query.ts';
import { commonTexts } from '../texts/common.ts';
import { Alert } from './alert.tsx';

interface QueryViewProps<T> {
  readonly query: Query<T>;
  readonly children: (data: T) => ComponentChildren;
}

/** Shows the data of a query, or that it is loading, forbidden or not available. */
export function QueryView<T>({ query: { data, error, isLoading, reload }, children }: QueryViewProps<T>) {
  const texts = commonTexts();
  if (codeOf(error) === 'permission-denied') return <NoPermission />;
  return (
    <div aria-busy={isLoading}>
      {error !== undefined && (
        <Alert>
          <p>{textOf(error)}</p>
          <button onClick={reload}>{texts.retry}</button>
        </Alert>
      )}
      {data === undefined
        ? isLoading && (
            <p class="loading" role="status">
              {texts.loading}
            </p>
          )
        : children(data)}
    </div>
  );
}

/** Instead of what the account may not see. Its children lead to what it may. */
export function NoPermission({ children }: { readonly children?: ComponentChildren }) {
  const texts = commonTexts();
  return (
    <div class="state">
      <h2>{texts.noPermission}</h2>
      <p>{texts.askForPermission}</p>
      {children !== undefined && <p>{children}</p>}
    </div>
  );
}
