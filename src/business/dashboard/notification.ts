// What a notification says.

export type NotificationKind = 'order-new' | 'order-overdue' | 'stock-low' | 'stock-out';

/** What needs attention. */
export interface Notification {
  readonly kind: NotificationKind;
  /** Of the order or the product. */
  readonly recordId: string;
  /** When the order was placed, or the product last changed, Unix milliseconds. */
  readonly since: number;
  /** The order's number, or the product's name. */
  readonly subject: string;
  /** The day of delivery, or the pieces left; empty for a new order. */
  readonly detail: string;
}

const TEXTS: Readonly<Record<NotificationKind, (subject: string, detail: string) => string>> = {
  'order-new': (number) => `Order ${number} waits to be confirmed`,
  'order-overdue': (number, day) => `Order ${number} was to be delivered on ${day}`,
  'stock-low': (name, pieces) => `${name}: ${pieces} left in stock`,
  'stock-out': (name) => `${name}: none left in stock`,
};

/** The notification in words. */
export function textOf({ kind, subject, detail }: Notification): string {
  return TEXTS[kind](subject, detail);
}
