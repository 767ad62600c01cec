// The page /console.
import { startPage } from '../ui/start-page.tsx';
import { ConsolePage } from './console-page.tsx';

startPage(ConsolePage);
