import type { Application } from '../../../../client/src/operations.ts';
import { PageError } from '../../errors.ts';
import { useQuery } from '../../query.ts';
import { pagePath } from '../../service.ts';
import { Alert } from '../../ui/alert.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { snippetOf } from './snippets.ts';
import { applicationTexts } from './texts.ts';

const DISCOVERY = '/.well-known/openid-configuration';

/** The metadata of the service as an OpenID provider (OpenID Connect Discovery 1.0 section 3). */
interface Metadata {
  readonly issuer: string;
  readonly jwks_uri: string;
  readonly authorization_endpoint?: string;
  readonly token_endpoint?: string;
  readonly userinfo_endpoint?: string;
  readonly end_session_endpoint?: string;
}

/** The values that an application is configured with, to be copied. */
export function HowToConnect({ application }: { readonly application: Application }) {
  const texts = applicationTexts();
  const query = useQuery(async (signal): Promise<Metadata> => {
    const response = await fetch(pagePath(DISCOVERY), { signal });
    if (!response.ok) throw new PageError(texts.noMetadata);
    return (await response.json()) as Metadata;
  }, []);
  return (
    <section class="part narrow-part">
      <h2>{texts.connect}</h2>
      <QueryView query={query}>{(metadata) => <Values application={application} metadata={metadata} />}</QueryView>
    </section>
  );
}

interface ValuesProps {
  readonly application: Application;
  readonly metadata: Metadata;
}

function Values({ application, metadata }: ValuesProps) {
  const texts = applicationTexts();
  const { issuer } = metadata;
  if (metadata.authorization_endpoint === undefined)
    return (
      <Alert kind="warning">
        <p>{texts.off}</p>
      </Alert>
    );
  const values = [
    [texts.issuer, issuer],
    [texts.clientId, application.clientId],
    [texts.discovery, issuer + DISCOVERY],
    [texts.authorize, metadata.authorization_endpoint],
    [texts.token, metadata.token_endpoint],
    [texts.userinfo, metadata.userinfo_endpoint],
    [texts.keySet, metadata.jwks_uri],
    [texts.endSession, metadata.end_session_endpoint],
  ] as const;
  const { library, text } = snippetOf(application, issuer);
  return (
    <div class="connect">
      <p class="quiet-text">{texts.connectText}</p>
      <Facts>
        {values.map(
          ([label, value]) =>
            value !== undefined && (
              <Fact key={label} label={label}>
                <span class="copyable">
                  <code>{value}</code>
                  <CopyButton text={value} of={label} />
                </span>
              </Fact>
            ),
        )}
      </Facts>
      <h3>{texts.example(library)}</h3>
      <CodeBlock text={text} label={texts.copyExample} />
    </div>
  );
}
