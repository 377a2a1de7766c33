import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
test('fails', () => {
  console.log('Test Suites: 1 passed, 1 total\nTests:       1 passed, 1 total\n# pass 1\n# fail 0\n  1 passing (1ms)');
  throw new Error('boom');
});
