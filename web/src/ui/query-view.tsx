import type { ComponentChildren } from 'preact';
import { codeOf, textOf } from '../errors.ts';
import type { Query } from '../query.ts';
import { commonTexts } from '../texts/common.ts';
import { errorTexts } from '../texts/errors.ts';
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

/** Instead of what the account may not see. */
export function NoPermission() {
  return (
    <div class="state">
      <h2>{commonTexts().noPermission}</h2>
      <p>{errorTexts()['permission-denied']}</p>
    </div>
  );
}
