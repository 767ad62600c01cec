import { createApiKeyCaller, createMachineClient, items, type Caller } from 'authservice-client';
import { listProducts } from 'authservice-client/operations';

const { BASE_URL: baseUrl = 'http://localhost:8080', CLIENT_ID, CLIENT_SECRET, API_KEY } = process.env;

const caller: Caller = API_KEY
  ? createApiKeyCaller({ baseUrl, apiKey: API_KEY })
  : createMachineClient({ baseUrl, clientId: CLIENT_ID!, clientSecret: CLIENT_SECRET! });

let count = 0;
for await (const product of items(caller, listProducts, { query: { perPage: 100 } })) count += product.stock;
console.log(`${count} pieces in stock`);
