import type { ComponentChildren } from 'preact';
import { pagePath } from '../service.ts';
import { commonTexts } from '../texts/common.ts';
import { Screen } from '../ui/app-page.tsx';
import { useConsole } from './context.ts';
import { KeysHelp } from './keys-help.tsx';
import { TenantChoice } from './tenant-choice.tsx';

interface ConsoleFrameProps {
  readonly title: string;
  /** What can be done with the whole screen, beside its title. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The frame of each screen: navigation, tenant and title. */
export function ConsoleFrame({ title, actions, children }: ConsoleFrameProps) {
  const { account, screens, search } = useConsole();
  const navigation = screens.map(({ path, title }) => ({ path, title: title(), search }));
  return (
    <Screen
      title={title}
      navigation={navigation}
      actions={actions}
      tools={<TenantChoice />}
      links={
        <a class="button quiet" href={pagePath('/account')} title={account.username}>
          {commonTexts().myAccount}
        </a>
      }
    >
      {children}
      <KeysHelp />
    </Screen>
  );
}
