const { describe, it, test, before, beforeEach, after, afterEach } = require('node:test');
const assert = require('node:assert');
test('outer', (t) => {
  t.test('inner', () => new Promise((go) => setTimeout(go, 300)));
});
