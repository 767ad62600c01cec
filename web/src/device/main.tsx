// The page /device.
import { startPage } from '../ui/start-page.tsx';
import { DevicePage } from './device-page.tsx';

startPage(DevicePage);
