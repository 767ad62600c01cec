// The users: a list, and one of them.
import { Route, Switch } from 'wouter-preact';
import { UserDetail } from './user-detail.tsx';
import { UserList } from './user-list.tsx';

export default function Users() {
  return (
    <Switch>
      <Route path="/users">
        <UserList />
      </Route>
      <Route path="/users/:id">{({ id }) => <UserDetail key={id} id={id} />}</Route>
    </Switch>
  );
}
