const { describe, it, test, before, beforeEach, after, afterEach } = require('node:test');
const assert = require('node:assert');
test('passes', () => {
  console.log('FAIL test/a.test.js\nTests:       3 failed, 3 total\nnot ok 1 - x\n# fail 3');
  console.error('Error: boom');
});
