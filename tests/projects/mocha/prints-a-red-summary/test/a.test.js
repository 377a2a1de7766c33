const assert = require('node:assert');
it('passes', () => {
  console.log('FAIL test/a.test.js\nTests:       3 failed, 3 total\nnot ok 1 - x\n# fail 3');
  console.error('Error: boom');
});
