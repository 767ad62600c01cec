// The page /logout.
import { startPage } from '../ui/start-page.tsx';
import { LogoutPage } from './logout-page.tsx';

startPage(LogoutPage);
