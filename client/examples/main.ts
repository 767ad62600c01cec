import { createCookieSession } from 'authservice-client';
import { createSessionPlugin } from 'authservice-client/vue';
import { createApp } from 'vue';
import './style.css';
import App from './App.vue';

createApp(App).use(createSessionPlugin(createCookieSession())).mount('#app');
