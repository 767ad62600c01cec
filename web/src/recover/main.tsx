// The page /recover.
import { startPage } from '../ui/frame.tsx';
import { RecoverPage } from './recover-page.tsx';

startPage(RecoverPage);
