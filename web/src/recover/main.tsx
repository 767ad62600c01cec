// The page /recover.
import { startPage } from '../ui/start-page.tsx';
import { RecoverPage } from './recover-page.tsx';

startPage(RecoverPage);
