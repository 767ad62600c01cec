// Profile B: the refresh token is in the body. No cookie is read or set.
import type { Gateway } from '../../context.ts';
import type { SessionEndpoints } from '../session-endpoints.ts';
import { login } from './login.ts';
import { logout } from './logout.ts';
import { me } from './me.ts';
import { refresh } from './refresh.ts';

export function profileB({ settings }: Pick<Gateway, 'settings'>): SessionEndpoints {
  return {
    login: login(),
    refresh: refresh(settings['app.security.refresh-token.return-rotated']),
    me: me(),
    logout: logout(),
  };
}
