/** The key-encryption key of all test deployments. */
export const TEST_KEY_ENCRYPTION_KEY = Buffer.alloc(32, 7);
