/** How an order can be paid. */
export const PAYMENT_METHODS = ['CASH', 'CARD', 'BANK_TRANSFER', 'INVOICE', 'ONLINE'] as const;

export type PaymentMethod = (typeof PAYMENT_METHODS)[number];

/** For people. */
export const PAYMENT_METHOD_LABELS: Readonly<Record<PaymentMethod, string>> = {
  CASH: 'Cash',
  CARD: 'Card',
  BANK_TRANSFER: 'Bank transfer',
  INVOICE: 'Invoice',
  ONLINE: 'Online payment',
};
