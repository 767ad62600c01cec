// The users: a list, and one of them.
import { Route, Switch } from 'wouter-preact';
import { LoginHelp } from './login-help.tsx';
import { UserDetail } from './user-detail.tsx';
import { UserList } from './user-list.tsx';

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
