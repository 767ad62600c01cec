import { Link, Route, Switch } from 'wouter-preact';
import { commonTexts } from '../texts/common.ts';
import { AppPage } from '../ui/app-page.tsx';
import { AccountScreen } from './account-screen.tsx';
import { ActivityScreen } from './activity-screen.tsx';
import { ApplicationsScreen } from './applications-screen.tsx';
import { OverviewScreen } from './overview-screen.tsx';
import { PasswordScreen } from './password-screen.tsx';
import { SessionsScreen } from './sessions-screen.tsx';
import { accountTexts } from './texts.ts';
import { TotpScreen } from './totp-screen.tsx';

export function AccountPage() {
  return (
    <AppPage path="/account">
      <Switch>
        <Route path="/">
          <OverviewScreen />
        </Route>
        <Route path="/password">
          <PasswordScreen />
        </Route>
        <Route path="/totp">
          <TotpScreen />
        </Route>
        <Route path="/sessions">
          <SessionsScreen />
        </Route>
        <Route path="/applications">
          <ApplicationsScreen />
        </Route>
        <Route path="/activity">
          <ActivityScreen />
        </Route>
        <Route>
          <UnknownScreen />
        </Route>
      </Switch>
    </AppPage>
  );
}

function UnknownScreen() {
  return (
    <AccountScreen title={commonTexts().unknownScreen}>
      <p>
        <Link href="/">{accountTexts().toOverview}</Link>
      </p>
    </AccountScreen>
  );
}
