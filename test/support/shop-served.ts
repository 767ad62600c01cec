/** Whether the services of this run have the shop. The project `without-shop` leaves it out. */
export const IS_SHOP_SERVED = process.env['TEST_WITHOUT_SHOP'] !== 'true';

/** The value of `app.business.enabled`. */
export const BUSINESS_ENABLED = String(IS_SHOP_SERVED);

/** The package of the shop's protos. */
export const SHOP_PACKAGE = 'authservice.business.v1';
