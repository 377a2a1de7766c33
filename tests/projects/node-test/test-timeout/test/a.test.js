const { describe, it, test, before, beforeEach, after, afterEach } = require('node:test');
const assert = require('node:assert');
test('hangs', { timeout: 100 }, () => new Promise((go) => setTimeout(go, 3000)));
