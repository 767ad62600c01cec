import { Link, Route, Switch } from 'wouter-preact';
import { useQuery } from '../query.ts';
import { commonTexts } from '../texts/common.ts';
import { AppPage } from '../ui/app-page.tsx';
import { QueryView } from '../ui/query-view.tsx';
import { AccountScreen } from './account-screen.tsx';
import { ActivityScreen } from './activity-screen.tsx';
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
          <Applications />
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

/** It is loaded when it is opened: not all services have applications. */
function Applications() {
  const screen = useQuery(async () => (await import('./applications-screen.tsx')).default, []);
  const { data: ApplicationsScreen } = screen;
  if (ApplicationsScreen) return <ApplicationsScreen />;
  return (
    <AccountScreen title={accountTexts().applications}>
      <QueryView query={screen}>{() => null}</QueryView>
    </AccountScreen>
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
