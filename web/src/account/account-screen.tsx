import type { ComponentChildren } from 'preact';
import { Screen } from '../ui/app-page.tsx';
import { TenantName } from './tenant-name.tsx';
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
    { path: '/activity', title: texts.activity },
  ];
  return <Screen {...props} navigation={navigation} tools={<TenantName />} />;
}
