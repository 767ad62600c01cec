import type { DemoShop } from './demo-shop.ts';

/** A garden centre that has just begun. */
export const DEMO_GLOBEX: DemoShop = {
  tenantId: 'globex',
  staff: { sales: 'gina@globex.test', workshop: 'gina@globex.test', office: 'gina@globex.test' },
  products: [
    { sku: 'LAVENDER', name: 'Lavender', category: 'Perennials', price: 590, stock: 80, reorderLevel: 20 },
    { sku: 'APPLE-TREE', name: 'Apple tree, two years', category: 'Trees', price: 3990, stock: 12, reorderLevel: 3 },
    { sku: 'POT-30', name: 'Terracotta pot, 30 cm', category: 'Pots', price: 1890, stock: 24, reorderLevel: 20 },
    { sku: 'SOIL-40', name: 'Potting soil, 40 l', category: 'Soil', price: 990, stock: 60, reorderLevel: 15 },
  ],
  customers: [
    {
      name: 'Greta Holm',
      email: 'greta.holm@example.org',
      phone: '+49 40 66969 100',
      address: 'Deichweg 3\n21129 Hamburg',
      daysAgo: 20,
    },
    {
      name: 'Allotment Society Elbe',
      email: 'board@allotments.example',
      phone: '+49 40 66969 101',
      address: 'Kolonie 1\n21109 Hamburg',
      daysAgo: 15,
      notes: ['Orders for all members together, in March and in October.'],
    },
  ],
  orders: [
    [400, 'Greta Holm', 'COMPLETED', 'CARD', undefined, { LAVENDER: 6, 'POT-30': 2 }],
    [310, 'Allotment Society Elbe', 'COMPLETED', 'INVOICE', 4, { 'SOIL-40': 20, 'APPLE-TREE': 2 }],
    [120, 'Greta Holm', 'CANCELLED', 'ONLINE', 2, { 'APPLE-TREE': 1 }],
    [28, 'Allotment Society Elbe', 'CONFIRMED', 'INVOICE', 6, { LAVENDER: 30, 'POT-30': 4 }],
    [2, 'Greta Holm', 'NEW', 'ONLINE', 3, { 'SOIL-40': 3 }],
  ],
};
