// The page /login.
import { startPage } from '../ui/frame.tsx';
import { LoginPage } from './login-page.tsx';

startPage(LoginPage);
