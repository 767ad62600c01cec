import { useLayoutEffect, useRef } from 'preact/hooks';
import { CodeBlock } from '../ui/code-block.tsx';
import { Table } from '../ui/table.tsx';
import { type OpenApi, type Operation, type Parameter, type Response } from './document.ts';
import { curlOf, exampleOf } from './example.ts';
import { Prose } from './prose.tsx';
import { SchemaView, TypeOf } from './schema-view.tsx';
import { docsTexts } from './texts.ts';

interface OperationProps {
  readonly document: OpenApi;
  readonly operation: Operation;
}

/** One operation: how it is called, and what it returns. */
export function OperationDetail({ document, operation }: OperationProps) {
  const texts = docsTexts();
  const { method, path, summary, description, parameters = [], requestBody, responses } = operation;
  const heading = useRef<HTMLHeadingElement>(null);
  // The link to this operation disappeared with the list.
  useLayoutEffect(() => {
    if (window.document.activeElement === window.document.body) heading.current?.focus();
  }, []);
  return (
    <main id="content" tabIndex={-1}>
      <div class="operation-title">
        <h1 ref={heading} tabIndex={-1} lang="en">
          {summary}
        </h1>
        <p class="endpoint">
          <span class={`method ${method.toLowerCase()}`}>{method}</span> <code>{path}</code>
        </p>
      </div>
      <Prose>{description}</Prose>
      <Credentials document={document} operation={operation} />
      <section>
        <h2>{texts.request}</h2>
        <CodeBlock text={curlOf(document, operation, location.origin)} label={texts.copyCommand} />
      </section>
      {parameters.length > 0 && <Parameters document={document} parameters={parameters} />}
      {Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) => (
        <section key={type}>
          <h2>
            {texts.body} <code class="quiet-text">{type}</code>
          </h2>
          {schema && <SchemaView document={document} schema={schema} />}
        </section>
      ))}
      <section>
        <h2>{texts.responses}</h2>
        {Object.entries(responses).map(([status, response]) => (
          <ResponseView key={status} document={document} status={status} response={response} />
        ))}
      </section>
    </main>
  );
}

function Credentials({ document, operation: { security = [], 'x-rpc': rpc } }: OperationProps) {
  const texts = docsTexts();
  const nameOf = (scheme: string): string => {
    const { type, scheme: http, in: place, name } = document.components.securitySchemes[scheme] ?? { type: scheme };
    return type === 'http'
      ? `Authorization: ${http === 'basic' ? 'Basic' : 'Bearer'}`
      : place === 'cookie'
        ? `Cookie: ${name}`
        : (name ?? scheme);
  };
  const names = security.map((one) => Object.keys(one).map(nameOf).join(' + ') || texts.noCredential);
  const shown = names.length === 0 ? [texts.noCredential] : names;
  return (
    <dl class="facts">
      <div>
        <dt>{texts.access}</dt>
        <dd>{shown.join(` ${texts.or} `)}</dd>
      </div>
      {rpc !== undefined && (
        <div>
          <dt>{texts.rpc}</dt>
          <dd>
            <code>{rpc}</code>
          </dd>
        </div>
      )}
    </dl>
  );
}

function Parameters({
  document,
  parameters,
}: Pick<OperationProps, 'document'> & { readonly parameters: readonly Parameter[] }) {
  const texts = docsTexts();
  return (
    <section>
      <h2>{texts.parameters}</h2>
      <Table
        caption={texts.parameters}
        items={parameters}
        keyOf={({ name, in: place }) => `${place} ${name}`}
        columns={[
          { title: texts.parameter, cell: ({ name }) => <code>{name}</code> },
          {
            title: texts.in,
            cell: ({ in: place, required }) => `${place}, ${required ? texts.required : texts.optional}`,
          },
          {
            title: texts.type,
            cell: ({ schema }) => <TypeOf document={document} schema={schema} />,
          },
          { title: texts.meaning, cell: ({ description }) => <Prose>{description}</Prose> },
        ]}
      />
    </section>
  );
}

interface ResponseProps {
  readonly document: OpenApi;
  readonly status: string;
  readonly response: Response;
}

function ResponseView({ document, status, response: { description, headers = {}, content = {} } }: ResponseProps) {
  const texts = docsTexts();
  const types = Object.entries(content);
  const isSuccess = status < '4';
  return (
    <details class="response" open={isSuccess}>
      <summary>
        <span class={isSuccess ? 'method' : 'method error'}>{status}</span> <span lang="en">{description}</span>
      </summary>
      {Object.keys(headers).length > 0 && (
        <>
          <h3>{texts.headers}</h3>
          <ul class="members">
            {Object.entries(headers).map(([name, { description: text }]) => (
              <li key={name}>
                <code>{name}</code>
                <Prose>{text}</Prose>
              </li>
            ))}
          </ul>
        </>
      )}
      {types.length === 0 && <p class="quiet-text">{texts.noBody}</p>}
      {types.map(([type, media]) => (
        <div key={type} class="media">
          <h3>
            {texts.body} <code class="quiet-text">{type}</code>
          </h3>
          {media.schema && <SchemaView document={document} schema={media.schema} />}
          {isSuccess && /json/.test(type) && (
            <>
              <h3>{texts.example}</h3>
              <CodeBlock text={JSON.stringify(exampleOf(document, media), undefined, 2)} />
            </>
          )}
        </div>
      ))}
    </details>
  );
}
