import type { ComponentChildren } from 'preact';
import { hasConsole } from '../console/permissions.ts';
import { pagePath } from '../service.ts';
import { Screen } from '../ui/app-page.tsx';
import { Name } from '../ui/name.tsx';
import { useOwnAccount } from './own-account.ts';
import { accountTexts } from './texts.ts';

interface AccountScreenProps {
  readonly title: string;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A screen of the account, with the navigation to the others. */
export function AccountScreen(props: AccountScreenProps) {
  const texts = accountTexts();
  const navigation = [
    { path: '/', title: texts.overview },
    { path: '/sessions', title: texts.sessions },
    { path: '/applications', title: texts.applications },
    { path: '/activity', title: texts.activity },
  ];
  const { tenantName, permissions = [] } = useOwnAccount() ?? {};
  return (
    <Screen
      {...props}
      navigation={navigation}
      tools={
        tenantName !== undefined && (
          <p class="beside-brand">
            <Name>{tenantName}</Name>
          </p>
        )
      }
      links={
        hasConsole(permissions) && (
          <a class="button quiet" href={pagePath('/console')}>
            {texts.console}
          </a>
        )
      }
    />
  );
}
