import { createCookieSession } from 'authservice-client';
import { createSessionPlugin } from 'authservice-client/vue';
import { createApp } from 'vue';
import Account from './Account.vue';

createApp(Account).use(createSessionPlugin(createCookieSession())).mount('#app');
