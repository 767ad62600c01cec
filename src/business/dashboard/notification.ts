// The texts of notifications.

export type NotificationKind = 'order-new' | 'order-overdue' | 'stock-low' | 'stock-out';

/** A notification. */
export interface Notification {
  readonly kind: NotificationKind;
  /** Id of the order or the product. */
  readonly recordId: string;
  /** When the order was placed, or the product last changed, Unix milliseconds. */
  readonly since: number;
  /** The order's number, or the product's name. */
  readonly subject: string;
  /** The delivery date, or the remaining units; empty for a new order. */
  readonly detail: string;
}

const TEXTS: Readonly<Record<NotificationKind, (subject: string, detail: string) => string>> = {
  'order-new': (number) => `Order ${number} waits to be confirmed`,
  'order-overdue': (number, day) => `Order ${number} was to be delivered on ${day}`,
  'stock-low': (name, units) => `${name}: ${units} left in stock`,
  'stock-out': (name) => `${name}: none left in stock`,
};

/** Returns the text of a notification. */
export function textOf({ kind, subject, detail }: Notification): string {
  return TEXTS[kind](subject, detail);
}
