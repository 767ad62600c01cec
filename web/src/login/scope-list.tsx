import { authorizationTexts, scopeTexts } from '../authorization/texts.ts';
import { Alert } from '../ui/alert.tsx';
import { Name } from '../ui/name.tsx';

interface ScopeListProps {
  /** The name of the application. */
  readonly name: string;
  /** What follows the name, before the list. */
  readonly text: string;
  readonly scopes: readonly string[];
}

/** What an application gets. Without the scope openid, too, it learns whose access it has. */
export function ScopeList({ name, text, scopes }: ScopeListProps) {
  const sentences = scopeTexts() as Readonly<Record<string, string>>;
  const others = scopes.filter((scope) => scope !== 'openid' && scope !== 'offline_access');
  return (
    <>
      <div>
        <p>
          <Name>{name}</Name> {text}
        </p>
        <ul class="scopes">
          {['openid', ...others].map((scope) => (
            <li key={scope}>{sentences[scope] ?? <code>{scope}</code>}</li>
          ))}
        </ul>
      </div>
      {scopes.includes('offline_access') && <Alert kind="warning">{authorizationTexts().offline}</Alert>}
    </>
  );
}
