// The page /console.
import { startPage } from '../ui/frame.tsx';
import { ConsolePage } from './console-page.tsx';

startPage(ConsolePage);
