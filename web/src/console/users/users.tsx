// The users: a list, and one of them.
import { Route, Switch } from 'wouter-preact';
import { lazyScreen } from '../lazy.tsx';
import { userTexts } from './texts.ts';
import { UserList } from './user-list.tsx';

const title = () => userTexts().title;
const LoginHelp = lazyScreen(title, async () => (await import('./login-help.tsx')).LoginHelp);
const UserDetail = lazyScreen(title, async () => (await import('./user-detail.tsx')).UserDetail);

export default function Users() {
  return (
    <Switch>
      <Route path="/users">
        <UserList />
      </Route>
      <Route path="/users/:id/login">{({ id }) => <LoginHelp key={id} id={id} />}</Route>
      <Route path="/users/:id">{({ id }) => <UserDetail key={id} id={id} />}</Route>
    </Switch>
  );
}
