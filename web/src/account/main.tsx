// The page /account.
import { startPage } from '../ui/frame.tsx';
import { AccountPage } from './account-page.tsx';

startPage(AccountPage);
