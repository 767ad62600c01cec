import { createContext, type ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import { Link, Route, Router, Switch, useSearchParams } from 'wouter-preact';
import { useQuery } from '../query.ts';
import { pagePath } from '../service.ts';
import { commonTexts } from '../texts/common.ts';
import { Brand, LanguageChoice, useTitle } from '../ui/frame.tsx';
import { SearchField } from '../ui/list-view.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { matches, tagsOf, type OpenApi, type Operation, type Tag } from './document.ts';
import { DOCUMENT_PATH, loadDocument } from './load-document.ts';
import { OperationDetail } from './operation-detail.tsx';
import { Prose } from './prose.tsx';
import { docsTexts } from './texts.ts';

interface Docs {
  readonly document: OpenApi;
  readonly tags: readonly Tag[];
}

const DocsContext = createContext<Docs | undefined>(undefined);

/** The path of the page. It is also served at the root, beside the path of the public URL. */
const PATH = location.pathname.startsWith(pagePath('/docs')) ? pagePath('/docs') : '/docs';

/** All operations, or one. */
export function DocsPage() {
  const query = useQuery(async (signal) => {
    const document = await loadDocument(signal);
    return { document, tags: tagsOf(document) };
  }, []);
  if (query.data === undefined) {
    return (
      <main class="narrow">
        <QueryView query={query}>{() => null}</QueryView>
      </main>
    );
  }
  return (
    <DocsContext.Provider value={query.data}>
      <Router base={PATH}>
        <Switch>
          <Route path="/">
            <AllOperations />
          </Route>
          <Route path="/:id">{({ id }) => <OneOperation key={id} id={id} />}</Route>
        </Switch>
      </Router>
    </DocsContext.Provider>
  );
}

function Frame({ children }: { readonly children: ComponentChildren }) {
  const texts = docsTexts();
  const { home } = document.getElementById('page')!.dataset;
  return (
    <>
      <a class="skip" href="#content">
        {commonTexts().skip}
      </a>
      <header class="bar">
        <Brand />
        <nav class="links" aria-label={commonTexts().pages}>
          {home !== undefined && <a href={home}>{texts.start}</a>}
          <a href={DOCUMENT_PATH}>{texts.document}</a>
        </nav>
      </header>
      {children}
      <footer class="bar">
        <LanguageChoice />
      </footer>
    </>
  );
}

function AllOperations() {
  const { document, tags } = useContext(DocsContext)!;
  const texts = docsTexts();
  const [search, setSearch] = useSearchParams();
  const wanted = search.get('q') ?? '';
  useTitle(texts.title);
  const found = tags
    .map((tag) => ({ ...tag, operations: tag.operations.filter((operation) => matches(operation, wanted)) }))
    .filter(({ operations }) => operations.length > 0);
  return (
    <Frame>
      <main id="content" class="docs" tabIndex={-1}>
        <h1>{texts.title}</h1>
        <Prose>{document.info.description}</Prose>
        <SearchField
          label={texts.search}
          value={wanted}
          onSearch={(text) => setSearch(text ? { q: text } : {}, { replace: true })}
        />
        {found.length === 0 && <p role="status">{texts.noMatch}</p>}
        {found.map(({ name, description, operations }) => (
          <section key={name} lang="en">
            <h2>{name}</h2>
            <Prose>{description}</Prose>
            <ul class="operations">
              {operations.map((operation) => (
                <li key={operation.operationId}>
                  <OperationLink operation={operation} />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </main>
    </Frame>
  );
}

function OperationLink({ operation: { operationId, method, path, summary } }: { readonly operation: Operation }) {
  return (
    <Link href={`/${operationId}`}>
      <span class={`method ${method.toLowerCase()}`}>{method}</span>
      <code>{path}</code>
      <span>{summary}</span>
    </Link>
  );
}

function OneOperation({ id }: { readonly id: string }) {
  const { document, tags } = useContext(DocsContext)!;
  const texts = docsTexts();
  const tag = tags.find(({ operations }) => operations.some(({ operationId }) => operationId === id));
  const operation = tag?.operations.find(({ operationId }) => operationId === id);
  useTitle(operation?.summary ?? texts.unknown);
  const all = (
    <Link href="/" class="back">
      {texts.allOperations}
    </Link>
  );
  if (!tag || !operation) {
    return (
      <Frame>
        <main id="content" class="docs" tabIndex={-1}>
          <h1>{texts.unknown}</h1>
          <p>{all}</p>
        </main>
      </Frame>
    );
  }
  return (
    <Frame>
      <div class="with-navigation docs-operation">
        <nav class="navigation" aria-label={tag.name}>
          {all}
          <h2 lang="en">{tag.name}</h2>
          {tag.operations.map(({ operationId, summary }) => (
            <Link
              key={operationId}
              href={`/${operationId}`}
              lang="en"
              aria-current={operationId === id ? 'page' : undefined}
            >
              {summary}
            </Link>
          ))}
        </nav>
        <OperationDetail document={document} operation={operation} />
      </div>
    </Frame>
  );
}
