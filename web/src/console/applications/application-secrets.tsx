import {
  createApplicationSecret,
  expireApplicationSecret,
  listApplicationSecrets,
  type Application,
} from '../../../../client/src/operations.ts';
import { useQuery } from '../../query.ts';
import { useService } from '../../ui/frame.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { ClientSecrets } from '../service-accounts/client-secrets.tsx';
import { applicationTexts } from './texts.ts';

interface ApplicationSecretsProps {
  readonly application: Application;
  readonly canChange: boolean;
}

export function ApplicationSecrets({ application: { id }, canChange }: ApplicationSecretsProps) {
  const { session } = useService();
  const path = { id };
  const query = useQuery(
    async (signal) => (await listApplicationSecrets(session, { path }, { signal })).data,
    [id],
    ['applications'],
  );
  const { noSecrets, expireText, secretText: shownOnce } = applicationTexts();
  return (
    <QueryView query={query}>
      {(secrets) => (
        <ClientSecrets
          secrets={secrets}
          canChange={canChange}
          texts={{ noSecrets, expireText, shownOnce }}
          create={async (body) => (await createApplicationSecret(session, { path, body })).data.clientSecret}
          expire={(secretId, body) => expireApplicationSecret(session, { path: { id, secretId }, body })}
          changes={['applications']}
        />
      )}
    </QueryView>
  );
}
