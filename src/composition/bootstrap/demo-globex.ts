import type { DemoShop } from './demo-shop.ts';

/** A garden centre that has just begun. */
export const DEMO_GLOBEX: DemoShop = {
  tenantId: 'globex',
  staff: { sales: 'gina@globex.test', workshop: 'gina@globex.test', office: 'gina@globex.test' },
  products: [
    ['LAVENDER', 'Lavender', 'Perennials', 590, 80, 20],
    ['APPLE-TREE', 'Apple tree, two years', 'Trees', 3990, 12, 3],
    ['POT-30', 'Terracotta pot, 30 cm', 'Pots', 1890, 24, 20],
    ['SOIL-40', 'Potting soil, 40 l', 'Soil', 990, 60, 15],
  ],
  customers: [
    ['Greta Holm', 'greta.holm@example.org', '+49 40 66969 100', 'Deichweg 3\n21129 Hamburg', 20],
    ['Allotment Society Elbe', 'board@allotments.example', '+49 40 66969 101', 'Kolonie 1\n21109 Hamburg', 15],
  ],
  notes: [['Allotment Society Elbe', 'Orders for all members together, in March and in October.']],
  orders: [
    [400, 'Greta Holm', 'COMPLETED', 'CARD', undefined, '6 LAVENDER, 2 POT-30'],
    [310, 'Allotment Society Elbe', 'COMPLETED', 'INVOICE', 4, '20 SOIL-40, 2 APPLE-TREE'],
    [120, 'Greta Holm', 'CANCELLED', 'ONLINE', 2, '1 APPLE-TREE'],
    [28, 'Allotment Society Elbe', 'CONFIRMED', 'INVOICE', 6, '30 LAVENDER, 4 POT-30'],
    [2, 'Greta Holm', 'NEW', 'ONLINE', 3, '3 SOIL-40'],
  ],
};
