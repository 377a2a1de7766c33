const { describe, it, test, before, beforeEach, after, afterEach } = require('node:test');
const assert = require('node:assert');
test('fails', () => {
  console.log('Test Suites: 1 passed, 1 total\nTests:       1 passed, 1 total\n# pass 1\n# fail 0\n  1 passing (1ms)');
  throw new Error('boom');
});
