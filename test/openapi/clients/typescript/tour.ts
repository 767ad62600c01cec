// Logs in, creates a customer and reads two pages of the list: arguments are the base URL, the username and the password.
import { Configuration, CustomersApi, SessionApi } from './client/index.js';

const [basePath = '', username = '', password = ''] = process.argv.slice(2);
const session = new SessionApi(new Configuration({ basePath }));
const { accessToken } = await session.login({ loginRequest: { username, password } });

const headers = { authorization: `Bearer ${accessToken}` };
const customers = new CustomersApi(new Configuration({ basePath, headers }));
const created = await customers.createCustomer({
  createCustomerRequest: { name: 'TypeScript client', phone: '+49 30 4' },
});
const listed: string[] = [];
let total: string | null = null;
for (const page of [1, 2]) {
  const response = await customers.listCustomersRaw({ page, perPage: 2 });
  listed.push(...(await response.value()).map(({ id }) => id));
  total = response.raw.headers.get('x-total-count');
}
console.log(`created ${created.id}\ntotal ${total}\nlisted ${listed.join(' ')}`);
