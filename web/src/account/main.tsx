// The page /account.
import { startPage } from '../ui/start-page.tsx';
import { AccountPage } from './account-page.tsx';

startPage(AccountPage);
