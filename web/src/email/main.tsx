// The page /email.
import { startPage } from '../ui/frame.tsx';
import { EmailPage } from './email-page.tsx';

startPage(EmailPage);
