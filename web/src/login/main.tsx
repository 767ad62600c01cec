// The page /login.
import { startPage } from '../ui/start-page.tsx';
import { LoginPage } from './login-page.tsx';

startPage(LoginPage);
