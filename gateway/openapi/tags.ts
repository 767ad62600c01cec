/** The resources of the interface, in the order of the documentation page. */
export const TAGS = [
  { name: 'Session', description: 'Login, refresh and logout of users, and checks of credentials.' },
  { name: 'Machine clients', description: 'Tokens for services (RFC 6749 section 4.4), introspection and revocation.' },
  { name: 'API keys', description: 'Static keys of service accounts, for the header X-Api-Key.' },
  { name: 'Products', description: 'Products of the tenant, with their stock and images.' },
  { name: 'Orders', description: 'Orders of the tenant, with their items, statuses and photos.' },
  { name: 'Customers', description: 'Customers of the tenant, with notes and statistics.' },
  { name: 'Dashboard', description: 'Statistics of the tenant, and records that need attention.' },
  { name: 'Reference data', description: 'Codes that records refer to, with labels.' },
  { name: 'Files', description: 'Uploads before they are attached to a product or an order.' },
  { name: 'Keys', description: 'Public keys and metadata for services that verify access tokens.' },
  { name: 'Health', description: 'Probes for orchestrators and load balancers.' },
];
