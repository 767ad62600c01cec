// The page /email.
import { startPage } from '../ui/start-page.tsx';
import { EmailPage } from './email-page.tsx';

startPage(EmailPage);
